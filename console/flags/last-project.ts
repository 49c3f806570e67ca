// The project whose flags were opened last in this browser.
const KEY = 'signalbox_project';

export function lastProject(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

export function rememberProject(key: string): void {
  try {
    if (localStorage.getItem(KEY) !== key) localStorage.setItem(KEY, key);
  } catch {
    // Without storage the first project is opened.
  }
}
