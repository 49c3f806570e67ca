// Tells the names and addresses that mean this machine alone from all others.

/** As in a setting or in a URL; other names may lead to loopback too, which only a lookup says. */
export function isLoopbackName(name: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|\[?::1\]?|(.+\.)?localhost\.?)$/i.test(name);
}
