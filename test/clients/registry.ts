// Whether the npm registry can be reached, from which tests build Actors with packages.

export async function isRegistryReachable(): Promise<boolean> {
  const registry = process.env['npm_config_registry'] ?? 'https://registry.npmjs.org/';
  try {
    const { ok } = await fetch(new URL('-/ping', registry), { signal: AbortSignal.timeout(20_000) });
    return ok;
  } catch {
    return false;
  }
}
