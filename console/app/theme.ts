// Light, dark, or as the system is. The cookie lets the server send the page in the right colours.
import { CONSOLE } from '../api/server.ts';
import { savePreferences } from './me.ts';

export type Theme = 'system' | 'light' | 'dark';

function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function showTheme(theme: Theme): void {
  const root = document.documentElement;
  if (theme === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = theme;
  const age = theme === 'system' ? 0 : 31_536_000;
  document.cookie = `signalbox_theme=${theme}; path=${CONSOLE}; samesite=strict; max-age=${age}`;
}

function isDark(): boolean {
  const theme = currentTheme();
  return theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
}

/** Shown now, and remembered for the person. */
export function chooseTheme(theme: Theme): void {
  showTheme(theme);
  savePreferences({ theme });
}

/** Turns light to dark and back. */
export function switchTheme(): void {
  chooseTheme(isDark() ? 'light' : 'dark');
}
