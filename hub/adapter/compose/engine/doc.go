// Package engine makes the containers of this host match rendered projects. It
// implements worker.Engine with the Compose SDK in process and a Docker client.
//
// It owns what the SDK leaves open:
//
//   - A project is loaded with the secrets as its only variables (load.go); the SDK's
//     own loader would add the process's environment. The SDK gets streams that lead
//     nowhere and an empty Docker configuration (session.go).
//   - A changed config or secret recreates exactly the services that use it, through a
//     keyed digest in their labels (digest.go). The project's own labels, which change
//     with every deployment, are kept out of that decision (labels.go).
//   - Images are looked for and pulled here, so that an image which is on the host needs
//     no registry and a failure names the compose service (images.go, pull.go).
//   - What would fail after some services were started is checked before (apply.go).
//   - What containers wrote is read entry by entry where its times are wanted: the engine puts them wherever it cuts a
//     line, and no secret may be torn by one (entries.go, hide.go).
//   - Waiting for health is Verify's, not the SDK's, so that its log can say what it
//     waits for and its fault what the container said last (verify.go, verdict.go).
//
// Projects may be applied at the same time, one call per project. The package must not
// know the hub, the wire or what a deployment is. Start reading at Engine.Apply.
package engine
