// Package managerstand stands in for a secrets manager with Infisical's API: it follows the public
// reference of universal authentication (login, renewal) and of listing secrets, folders and projects,
// with the routes of today or, by Old, those of before. By its Switch it misbehaves on purpose.
//
// It keeps everything in memory and checks tokens and their ends. The program itself must not use it.
// Start with Server in server.go; answers.go has the routes.
package managerstand
