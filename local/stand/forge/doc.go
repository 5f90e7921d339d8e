// Package forge stands in for a Git host with accounts, an OAuth provider and an API: GitHub, Gitea or GitLab.
//
// It follows their public references (docs.github.com/apps/oauth-apps and /rest, the API description that each
// Gitea serves, docs.gitlab.com/api) where Berth meets them: endpoints and their parameters, media types and headers,
// how lists are paged with Link headers, PKCE, refresh tokens that are good once, and the form of errors, GitHub's
// with status 200 among them. It checks what it is sent as strictly as they do. With Git set it serves repositories
// to whoever has a token, as password of a user.
//
// It knows nothing of Berth. Start reading at Forge.
package forge
