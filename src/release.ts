// This program's own version, as package.json says it.
import manifest from '../package.json' with { type: 'json' };

export const RELEASE = manifest.version;
