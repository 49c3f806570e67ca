// Turns light to dark and back, and remembers it for the person.
import { savePreferences } from './me.ts';
import { isDark, showTheme } from './theme.ts';

export function switchTheme(): void {
  const theme = isDark() ? 'light' : 'dark';
  showTheme(theme);
  savePreferences({ theme });
}
