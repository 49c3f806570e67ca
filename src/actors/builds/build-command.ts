// The command of an Actor's own build, such as a compiler: `buildCommand` of `actor.json`, or the script `build` of `package.json`.
import { isObject } from '../../kernel/json/json-value.ts';
import { parseGivenCommand, type GivenCommand } from './start-command.ts';

export type BuildCommand = GivenCommand | { by: 'npm'; script: string };

export interface BuildCommandSources {
  definition: Record<string, unknown> | null;
  packageJson: Record<string, unknown> | undefined;
  /** Of `actor.json`, for messages. */
  path: string;
}

/** Undefined where nothing is to be built. */
export function findBuildCommand(sources: BuildCommandSources): BuildCommand | undefined {
  const given = sources.definition?.['buildCommand'];
  if (given !== undefined && given !== null) return parseGivenCommand(given, sources.path, 'buildCommand');
  const scripts = sources.packageJson?.['scripts'];
  const build = isObject(scripts) ? scripts['build'] : undefined;
  return typeof build === 'string' && build.trim() !== '' ? { by: 'npm', script: 'build' } : undefined;
}
