// Package lint says what is wrong with a Compose project before anything is deployed: errors, which stop a deployment,
// and advice, which never does.
//
// It judges a draft of the project, in which everything is resolved but nothing needs to fit together. It must not
// know files, YAML or stacks. Start reading at Findings; Rules lists what is looked for.
package lint
