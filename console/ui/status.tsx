// Status, badges, keys and counts. A colour never stands alone: there is always a word, and mostly a glyph.
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon, type IconName } from './icon.tsx';

export type StatusTone = 'ok' | 'bad' | 'warn' | 'run' | 'neutral';

const statusGlyph: Record<StatusTone, IconName> = {
  ok: 'ok',
  bad: 'err',
  warn: 'warn',
  run: 'half',
  neutral: 'ring',
};

export interface StatusProps {
  tone: StatusTone;
  /** The word: "Succeeded". */
  children: ReactNode;
  /** Another glyph than that of the tone: `square` aborted, `hour` timed out. */
  icon?: IconName | undefined;
  /** With a ground, in the head of a page. */
  isPill?: boolean | undefined;
}

export function Status({ tone, children, icon, isPill }: StatusProps) {
  return (
    <span className={classNames('st', tone !== 'neutral' && `st--${tone}`, isPill && 'st--pill')}>
      <Icon name={icon ?? statusGlyph[tone]} />
      {children}
    </span>
  );
}

export type BadgeTone = 'ok' | 'warn' | 'bad' | 'run' | 'acc' | 'prod';

export interface BadgeProps {
  children: ReactNode;
  tone?: BadgeTone | undefined;
  icon?: IconName | undefined;
}

export function Badge({ children, tone, icon }: BadgeProps) {
  return (
    <span className={classNames('badge', tone !== undefined && `badge--${tone}`)}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </span>
  );
}

export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'offline';

const liveClass: Record<LiveState, string | undefined> = {
  connecting: 'live--wait',
  live: undefined,
  reconnecting: 'live--re',
  offline: 'live--off',
};

/** The state of the connection: a dot, always with its words. */
export function LiveDot({ state, children }: { state: LiveState; children: ReactNode }) {
  return (
    <span className={classNames('live', liveClass[state])}>
      <i />
      {children}
    </span>
  );
}

/** How many things wait; absent where none does. */
export function CountBadge({ value, tone }: { value: number; tone?: 'bad' | 'acc' | undefined }) {
  if (value === 0) return null;
  return <span className={classNames('count', tone !== undefined && `count--${tone}`)}>{value}</span>;
}

/** An identifier in a text; with `copyLabel` it can be copied. */
export function Key({ children, copyLabel }: { children: string; copyLabel?: string | undefined }) {
  if (copyLabel === undefined) return <code className="key">{children}</code>;
  return (
    <span className="nw">
      <code className="key">{children}</code>
      <CopyButton text={children} label={copyLabel} />
    </span>
  );
}

export function Tag({ children }: { children: ReactNode }) {
  return <span className="tag">{children}</span>;
}

/** A key of the keyboard. */
export function Kbd({ children }: { children: string }) {
  return <kbd>{children}</kbd>;
}
