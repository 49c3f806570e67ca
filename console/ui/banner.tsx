// A message that stands in the page, with a glyph, and at most one action.
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import { Icon, type IconName } from './icon.tsx';
import { words } from './words.ts';

export type BannerTone = 'info' | 'warn' | 'bad' | 'neutral';

const bannerGlyph: Record<BannerTone, IconName> = { info: 'info', warn: 'warn', bad: 'err', neutral: 'info' };

export interface BannerProps {
  tone?: BannerTone | undefined;
  icon?: IconName | undefined;
  children: ReactNode;
  action?: ReactNode;
  onDismiss?: (() => void) | undefined;
}

export function Banner({ tone = 'info', icon, children, action, onDismiss }: BannerProps) {
  return (
    <div
      className={classNames('note', tone !== 'neutral' && `note--${tone}`)}
      role={tone === 'bad' ? 'alert' : undefined}
    >
      <Icon name={icon ?? bannerGlyph[tone]} />
      <div>{children}</div>
      {action}
      {onDismiss !== undefined && (
        <Button tone="ghost" size="sm" icon="x" label={words.dismiss} onClick={onDismiss} />
      )}
    </div>
  );
}
