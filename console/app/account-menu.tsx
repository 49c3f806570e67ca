// The account of the person who is logged in: settings, theme, log out.
import { logOut } from '../api/session.ts';
import type { Me } from '../api/types/signalbox.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { usePreferences } from './me.ts';
import { chooseTheme, type Theme } from './theme.ts';
import { WORDS } from './words.ts';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const THEME_ICONS = { system: 'screen', light: 'sun', dark: 'moon' } as const;

export function AccountMenu({ me }: { me: Me | undefined }) {
  const { theme = 'system' } = usePreferences();
  const name = nameOf(me);
  return (
    <Menu
      trigger={
        <Button tone="ghost" size="sm" label={WORDS.account(name)}>
          <Avatar name={name} size={24} isDecorative />
        </Button>
      }
      items={[
        { label: WORDS.settings, icon: 'user', href: '/account/settings' },
        ...THEMES.map((one) => ({
          label: WORDS.themeNames[one],
          icon: one === theme ? ('check' as const) : THEME_ICONS[one],
          hasLine: one === 'system',
          onSelect: () => chooseTheme(one),
        })),
        { label: WORDS.logOut, icon: 'logout', hasLine: true, onSelect: () => void logOut() },
      ]}
    />
  );
}

function nameOf(me: Me | undefined): string {
  if (me === undefined) return '';
  const { firstName, lastName, username } = me.member;
  return [firstName, lastName].filter(Boolean).join(' ') || username;
}
