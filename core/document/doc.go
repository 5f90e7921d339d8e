// Package document checks decoded files of repositories, such as wireops.yaml and job.yaml: it takes values out of
// a core.Document by their path and collects every problem, with its line where the document knows it.
//
// It must not know what any key means, nor YAML. Start with Reader.
package document
