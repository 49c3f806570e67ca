// Cards, figures, lists of terms, and rows that ask for attention.
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { cssVars } from './css-vars.ts';
import { Icon, type IconName } from './icon.tsx';

export interface CardProps {
  title?: ReactNode;
  /** The name for a screen reader, where the card has no title. */
  label?: string | undefined;
  icon?: IconName | undefined;
  actions?: ReactNode;
  footer?: ReactNode;
  /** Without padding, for a table or a list that reaches the edges. */
  isFlush?: boolean | undefined;
  className?: string | undefined;
  children?: ReactNode;
}

export function Card({ title, label, icon, actions, footer, isFlush, className, children }: CardProps) {
  const hasHead = title !== undefined || actions !== undefined;
  return (
    <section className={classNames('card', className)} aria-label={label}>
      {hasHead && (
        <div className="card__h">
          {icon !== undefined && <Icon name={icon} className="muted" />}
          <h2 className="grow">{title}</h2>
          {actions}
        </div>
      )}
      {isFlush ? children : <div className="card__b">{children}</div>}
      {footer !== undefined && <div className="card__f">{footer}</div>}
    </section>
  );
}

export interface FigureProps {
  label: string;
  value: ReactNode;
  unit?: string | undefined;
  /** What it is compared with, or a reason. */
  note?: ReactNode;
  /** A sparkline or a meter. */
  chart?: ReactNode;
}

function Figure({ label, value, unit, note, chart }: FigureProps) {
  return (
    <div className="fig">
      <p className="fig__l">{label}</p>
      <p className="fig__n">
        {value}
        {unit !== undefined && <small> {unit}</small>}
      </p>
      {note !== undefined && <p className="fig__s">{note}</p>}
      {chart}
    </div>
  );
}

/** Figures beside each other, in one card. */
export function Figures({ items, label }: { items: FigureProps[]; label?: string | undefined }) {
  return (
    <section className="card" aria-label={label}>
      <div className="figs">
        {items.map((item) => (
          <Figure key={item.label} {...item} />
        ))}
      </div>
    </section>
  );
}

export interface KeyValuesProps {
  items: [term: string, value: ReactNode][];
  /** The width of the terms in pixels. */
  termWidth?: number | undefined;
}

export function KeyValues({ items, termWidth }: KeyValuesProps) {
  return (
    <dl className="kv" style={termWidth === undefined ? undefined : cssVars({ kv: `${termWidth}px` })}>
      {items.map(([term, value]) => (
        <KeyValue key={term} term={term} value={value} />
      ))}
    </dl>
  );
}

function KeyValue({ term, value }: { term: string; value: ReactNode }) {
  return (
    <>
      <dt>{term}</dt>
      <dd>{value}</dd>
    </>
  );
}

export type TileTone = 'bad' | 'warn' | 'ok' | 'prod' | 'acc';

export function Tile({ icon, tone }: { icon: IconName; tone?: TileTone | undefined }) {
  return (
    <span className={classNames('tile', tone !== undefined && `tile--${tone}`)}>
      <Icon name={icon} />
    </span>
  );
}

export function AttentionList({ label, children }: { label?: string | undefined; children: ReactNode }) {
  return (
    <ul className="att card" aria-label={label}>
      {children}
    </ul>
  );
}

export interface AttentionRowProps {
  icon: IconName;
  /** The colour tells the kind. */
  tone?: TileTone | undefined;
  title: ReactNode;
  reason?: ReactNode;
  /** The one button of the row. */
  action?: ReactNode;
  /** Snooze and the like. */
  menu?: ReactNode;
}

/** A row of `AttentionList`: a glyph, a sentence over its reason, one action. */
export function AttentionRow({ icon, tone, title, reason, action, menu }: AttentionRowProps) {
  return (
    <li>
      <Tile icon={icon} tone={tone} />
      <div>
        <p className="att__t">{title}</p>
        {reason !== undefined && <p className="att__m">{reason}</p>}
      </div>
      <div className="row row--4">
        {action}
        {menu}
      </div>
    </li>
  );
}
