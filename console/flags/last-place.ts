// The project, the environments of its list, and the environment that were opened last in this browser.
const PROJECT = 'signalbox_project';
const COLUMNS = 'signalbox_columns:';
const RECENT = 'signalbox_environments:';
const MAX_RECENT = 5;

export function lastProject(): string | undefined {
  return read(PROJECT);
}

export function rememberProject(key: string): void {
  write(PROJECT, key);
}

/** With them the list can be asked for before it is known what else there is. */
export function lastColumns(project: string): string[] | undefined {
  return read(COLUMNS + project)?.split(',');
}

export function rememberColumns(project: string, keys: readonly string[]): void {
  write(COLUMNS + project, keys.join(','));
}

/** The last one first. */
export function recentEnvironments(project: string): string[] {
  return (read(RECENT + project) ?? '').split(',').filter((key) => key !== '');
}

export function rememberEnvironment(project: string, key: string): void {
  const others = recentEnvironments(project).filter((one) => one !== key);
  write(RECENT + project, [key, ...others].slice(0, MAX_RECENT).join(','));
}

function read(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(name: string, value: string): void {
  try {
    if (localStorage.getItem(name) !== value) localStorage.setItem(name, value);
  } catch {
    // Without storage what comes first is opened.
  }
}
