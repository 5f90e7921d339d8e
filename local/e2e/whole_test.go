package e2e_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"berth/local/e2e/rig"
)

// TestMain lets more tests run at the same time than there are processors, unless -parallel
// says otherwise: what they do most is wait.
func TestMain(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		if err := flag.Set("test.parallel", "6"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// TestWholeProgram proves, each on its own repository and stacks but all on one server with
// a worker inside, what the program promises to those who use it.
func TestWholeProgram(t *testing.T) {
	for name, value := range surroundings {
		t.Setenv(name, value)
	}
	server := rig.Start(t, rig.Options{LocalWorker: true})
	server.InsideWorker()
	for sentence, prove := range map[string]func(*testing.T, *rig.Server){
		"a commit becomes running containers":                                 commitBecomesContainers,
		"polling picks up a new commit":                                       pollingPicksUpACommit,
		"only stacks whose tree changed are deployed, each decision says why": onlyChangedStacks,
		"a sync by hand deploys what automatic sync leaves alone":             syncByHand,
		"a redeploy recreates containers though nothing changed":              redeployRecreates,
		"a deployment that is cancelled ends and leaves what runs alone":      cancelLeavesAlone,
		"a changed mounted file recreates only services that mount it":        mountedFileRecreates,
		"a changed inline config recreates only its users":                    inlineConfigRecreates,
		"what a service writes beside its stack survives deployments":         writtenFilesSurvive,
		"values arrive byte for byte":                                         valuesByteForByte,
		"a changed secret recreates only services that list it":               secretRecreates,
		"a secrets.yaml lies over the variables, then and now":                secretsFileDeploys,
		"a variable reaches a container only when listed for that service":    onlyListedVariables,
		"a container sees nothing of the environment of server or worker":     containerSeesNoEnvironment,
		"a compose service is stopped, started and restarted through the API": stopStartRestart,
		"the log of a compose service is read through the API":                serviceLogs,
		"what the containers of a stack use is told":                          usageIsTold,
		"teardown removes what runs, a plain delete leaves it running":        teardownAndDelete,
		"an unknown image is named with its service":                          unknownImage,
		"a port that is taken is told with its service":                       takenPort,
		"an unhealthy container is named with its last log lines":             unhealthyContainer,
		"an invalid Compose file is named with its line":                      invalidCompose,
		"an invalid manifest is named with its line":                          invalidManifest,
		"a missing folder is named, what runs is left alone":                  missingFolder,
		"an unreachable repository shows, leaves what runs alone, and heals":  unreachableRepository,
		"a first deployment from an unreachable repository heals by itself":   firstDeploymentHeals,
		"wrong repository credentials show and heal":                          wrongCredentials,
		"malformed and oversized requests are refused with their reason":      refusedRequests,
		"a key that expired or was revoked is refused":                        keysEnd,
		"a stream ends with the right of who reads it":                        streamsEnd,
		"a container removed by hand shows as degraded, and a sync brings it": removedContainer,
		"several files, profiles, include and extends make one stack":         composeFromGit,
		"build: is refused with service, file and line":                       buildIsRefused,
		"what a stack reads outside its folder counts as part of it":          filesElsewhereCount,
		"a deployment that fails is rolled back, its commit in quarantine":    failureIsRestored,
		"on_failure: keep leaves what failed as it is, and tries again":       keepLeavesWhatFailed,
		"a rollback puts a kept revision in place with its files":             rollbackToARevision,
		"what hands did to containers is named, and a sync puts it right":     driftIsNamed,
		"sync.self_heal repairs what hands did":                               driftIsRepaired,
		"sync.self_heal starts what a hand has stopped":                       stoppedIsRepaired,
		"what a person has paused is named, and goes on with a deployment":    pausedIsRepaired,
		"a person's container in a stack's project is named and stays":        strangerIsNamed,
		"what a person stops through the API stays stopped":                   haltedStays,
		"a pause holds automatic sync back until it ends":                     pauseHoldsBack,
		"what is pushed during a deployment is deployed, the last of many":    pushesDuringADeployment,
		"a deployment that failed for a passing reason is tried again":        passingFailure,
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			prove(t, server.For(t))
		})
	}
}

// box is a compose service that does nothing, quickly: more lines are added to it.
func box(t *testing.T, name string, more ...string) string {
	t.Helper()
	lines := append([]string{"image: " + rig.Image(t), `command: [sleep, "3600"]`, "stop_signal: SIGKILL", "network_mode: none"}, more...)
	for _, line := range more {
		if key, _, found := strings.Cut(line, ":"); found {
			lines = withoutEarlier(lines, key, len(lines)-len(more))
		}
	}
	return fmt.Sprintf("  %s:\n    %s\n", name, strings.ReplaceAll(strings.Join(lines, "\n"), "\n", "\n    "))
}

// withoutEarlier drops a line of the first n that has the same key as a later one.
func withoutEarlier(lines []string, key string, n int) []string {
	kept := []string{}
	for i, line := range lines {
		if i >= n || !strings.HasPrefix(line, key+":") {
			kept = append(kept, line)
		}
	}
	return kept
}

// compose is a Compose file with these services.
func compose(services ...string) string { return "services:\n" + strings.Join(services, "") }

// one is a repository's content: one folder, "app", with this Compose file.
func one(file string) map[string]string { return map[string]string{"app/compose.yaml": file} }
