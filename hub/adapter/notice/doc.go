// Package notice carries notices to webhooks, Slack, Discord and ntfy. What others have named, such as stacks and workers, is
// written so that none of these takes it for a mention, a link or markup. Addresses are those that an administrator
// gave; where they lead is checked when they are dialled (hub/adapter/outbound), and redirects are not followed.
//
// The package must not know when something is told. Start with Carrier.
package notice
