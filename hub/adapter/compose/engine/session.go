package engine

import (
	"io"
	"strings"

	"github.com/docker/cli/cli/command"
	"github.com/docker/cli/cli/config/configfile"
	"github.com/docker/cli/cli/context/docker"
	"github.com/docker/cli/cli/context/store"
	"github.com/docker/cli/cli/streams"
	"github.com/docker/compose/v5/pkg/api"
	sdk "github.com/docker/compose/v5/pkg/compose"
	"github.com/moby/moby/client"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/trace"
)

// session is what the Compose SDK gets in place of the docker command: a client and
// otherwise nothing. The command itself would read the process's environment and the
// user's configuration, write to the process's streams, and end the process on errors.
type session struct {
	docker client.APIClient
}

var _ command.Cli = session{}

// newSDK returns the SDK for one operation, whose progress goes to events. questions
// are what the command would ask a person; the answer is always no.
func newSDK(docker client.APIClient, events api.EventProcessor, question func(string)) (api.Compose, error) {
	return sdk.NewComposeService(session{docker},
		sdk.WithEventProcessor(events),
		sdk.WithPrompt(func(text string, _ bool) (bool, error) {
			question(text)
			return false, nil
		}))
}

func (s session) Client() client.APIClient           { return s.docker }
func (s session) In() *streams.In                    { return streams.NewIn(io.NopCloser(strings.NewReader(""))) }
func (s session) Out() *streams.Out                  { return streams.NewOut(io.Discard) }
func (s session) Err() *streams.Out                  { return streams.NewOut(io.Discard) }
func (s session) SetIn(*streams.In)                  {}
func (s session) ConfigFile() *configfile.ConfigFile { return configfile.New("") }
func (s session) ServerInfo() command.ServerInfo     { return command.ServerInfo{OSType: "linux"} }
func (s session) CurrentVersion() string             { return s.docker.ClientVersion() }
func (s session) BuildKitEnabled() (bool, error)     { return false, nil }
func (s session) ContextStore() store.Store          { return nil }
func (s session) CurrentContext() string             { return command.DefaultContextName }

func (s session) DockerEndpoint() docker.Endpoint {
	return docker.Endpoint{EndpointMeta: docker.EndpointMeta{Host: s.docker.DaemonHost()}}
}

func (s session) Resource() *resource.Resource         { return resource.Empty() }
func (s session) TracerProvider() trace.TracerProvider { return otel.GetTracerProvider() }
func (s session) MeterProvider() metric.MeterProvider  { return otel.GetMeterProvider() }
