// Package ui owns the pages: view models, embedded templates, styles and one small script.
//
// Every page is rendered here and works without script: a read is a GET, a form is a POST
// that answers 303, or the same form with what was typed and what is wrong with it. The
// script only adds: regions that follow the server, copy buttons, local times.
//
// One page is one file: its ports, its view model, the constructor that returns an
// http.Handler. The package reaches core and handlers/endpoint, and what it needs beyond
// comes in through those ports. It must not know who may see a page; the route table does,
// and a view model asks only whether to offer a button.
//
// Start with view.go, which turns a view model into an answer, then frame.go (what stands
// around every page) and stack_list.go, a plain page. Text from outside is made safe to
// look at in clean.go, for all pages at once. Templates are in templates, the system of
// type, space, colour and state in assets/berth.css.
package ui
