// Where the policy tester explains to the reader why something is refused.

export function testerHref({ action, resource }: { action: string; resource: string }): string {
  return `/account/tester?${new URLSearchParams({ member: 'me', action, resource }).toString()}`;
}
