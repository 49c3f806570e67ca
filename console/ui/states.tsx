// What a page shows in place of its content: loading, nothing there, an error, no permission.
import { useEffect, useState, type ReactNode } from 'react';
import { Button, ButtonLink } from './button.tsx';
import { Tile, type TileTone } from './card.tsx';
import { classNames } from './class-names.ts';
import { CodeBlock } from './code-block.tsx';
import { CopyButton } from './copy-button.tsx';
import { ErrorHelp } from './error-help.tsx';
import { cssVars } from './css-vars.ts';
import type { IconName } from './icon.tsx';
import { testerHref } from './tester-href.ts';
import { words } from './words.ts';

/** What loads faster shows no skeleton. */
const skeletonDelay = 150;
/** Widths in percent, so that lines look like text. */
const lineWidths = [40, 90, 70, 84, 58, 76];

export interface SkeletonProps {
  /** Rows of a table. */
  rows?: number | undefined;
  /** Lines of a text. */
  lines?: number | undefined;
  /** `tile`: a block in the place of a card or a figure. */
  shape?: 'tile' | undefined;
}

/** Keeps the place of what loads, and is seen only if that takes long. */
export function Skeleton({ rows, lines, shape }: SkeletonProps) {
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsSeen(true), skeletonDelay);
    return () => clearTimeout(timer);
  }, []);
  const waiting = isSeen ? undefined : 'is-waiting';
  const count = rows ?? lines ?? 4;
  return (
    <div className={waiting} role="status" aria-label={words.loading}>
      {shape === 'tile' ? (
        <span className="skel skel--tile" />
      ) : (
        <div className={rows === undefined ? 'stack' : 'skels'}>
          {Array.from({ length: count }, (_, index) => (
            <span
              key={index}
              className="skel"
              style={cssVars({ w: rows === undefined ? (lineWidths[index % lineWidths.length] ?? 80) : 100 })}
            />
          ))}
        </div>
      )}
    </div>
  );
}

export interface EmptyStateProps {
  icon: IconName;
  tone?: TileTone | undefined;
  title: ReactNode;
  /** One sentence: what this is. */
  text?: ReactNode;
  /** One button. */
  action?: ReactNode;
  /** One command that does the same. */
  command?: string | undefined;
  /** Without an edge, inside of something that has one. */
  isPlain?: boolean | undefined;
}

export function EmptyState({ icon, tone, title, text, action, command, isPlain }: EmptyStateProps) {
  return (
    <div className={classNames('state', !isPlain && 'card')}>
      <Tile icon={icon} tone={tone} />
      <h3>{title}</h3>
      {text !== undefined && <p>{text}</p>}
      {action !== undefined && <div className="state__a">{action}</div>}
      {command !== undefined && <CodeBlock text={command} copyLabel={words.copyCommand} />}
    </div>
  );
}

export interface ErrorStateProps {
  error: { message: string; requestId?: string | undefined; help?: string | undefined };
  onRetry?: (() => void) | undefined;
  title?: ReactNode;
  isPlain?: boolean | undefined;
}

/** The API's own message, its request id, and a way to try again. */
export function ErrorState({ error, onRetry, title = words.notLoaded, isPlain }: ErrorStateProps) {
  return (
    <div className={classNames('state', !isPlain && 'card')} role="alert">
      <Tile icon="warn" tone="bad" />
      <h3>{title}</h3>
      <p>
        {error.message} <ErrorHelp href={error.help} />
      </p>
      {error.requestId !== undefined && (
        <p>
          {words.request} <code className="key">{error.requestId}</code>
          <CopyButton text={error.requestId} label={words.copyRequestId} />
        </p>
      )}
      {onRetry !== undefined && (
        <div className="state__a">
          <Button icon="redo" onClick={onRetry}>
            {words.retry}
          </Button>
        </div>
      )}
    </div>
  );
}

export interface NoPermissionProps {
  /** The missing action, as a policy names it. */
  action: string;
  resource: string;
  title?: ReactNode;
  /** Who can give it, where that is known. */
  grantors?: ReactNode;
  isPlain?: boolean | undefined;
}

export function NoPermission(props: NoPermissionProps) {
  const { action, resource, title = words.noPermission, grantors = words.askAdmin, isPlain } = props;
  return (
    <div className={classNames('state', !isPlain && 'card')}>
      <Tile icon="lock" />
      <h3>{title}</h3>
      <p>
        {words.needs} <code>{action}</code> {words.onResource} <code>{resource}</code>. {grantors}
      </p>
      <div className="state__a">
        <ButtonLink href={testerHref({ action, resource })}>{words.whyNot}</ButtonLink>
      </div>
    </div>
  );
}
