// Package secrets owns what a secret is: the Value that will not print itself, the
// Provider port behind which values live, the Gate that resolves references before
// anything is deployed, and the Redactor that takes values out of text.
//
// It must not know where secrets are stored or sent, nor what a variable is beyond its
// name. Start with Value in value.go, then Provider in provider.go and Gate in gate.go;
// reference.go has the grammar of references, redactor.go and forms.go are for whoever
// shows the output of other programs.
package secrets
