package render

// What a stack may ask of the hub. The limits are far above what real stacks use and
// keep one rendering to about a second of processor time and 100 MiB of memory at
// worst, whatever the files say; ten ordinary services take 6 ms and 4 MiB.
const (
	maxFiles         = 16        // Compose files that overlay, include and extend each other
	maxModels        = 64        // readings of files that are included or extended
	maxFileBytes     = 1 << 20   // one Compose file
	maxDepth         = 64        // nesting of YAML, aliases expanded
	maxNodes         = 50_000    // YAML nodes of all files, aliases and extends expanded
	maxNodeBytes     = 4 << 20   // text of those nodes
	maxServices      = 200       // compose services of one file
	maxPorts         = 1_000     // ports that short port texts stand for, ranges expanded
	maxContainers    = 500       // containers of all services, replicas counted
	maxVariableBytes = 256 << 10 // values of all variables that are not secret
	maxExpandedBytes = 4 << 20   // text that interpolation inserts
	maxTemplateCost  = 16 << 20  // bytes that interpolation looks at, see templateCost
	maxEnvFileBytes  = 256 << 10 // one env_file
	maxEnvFiles      = 400       // env_file entries of all services
	maxPath          = 4096      // bytes of a path in a Compose file
	maxRendered      = 512 << 10 // the rendered project
	maxContentBytes  = 64 << 20  // files of the repository that a project mounts, in sum
	maxContentFiles  = 10_000    // the same, in number
)
