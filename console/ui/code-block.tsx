// Code that can be copied, one text or one of several clients.
import { useId, type ReactNode } from 'react';
import { CopyButton, CopyTextButton } from './copy-button.tsx';
import { Segmented } from './segmented.tsx';
import { words } from './words.ts';

export interface CodeBlockProps {
  /** What is copied, and shown where nothing else is given. */
  text: string;
  copyLabel?: string | undefined;
  /** The same text with marks. */
  children?: ReactNode;
}

export function CodeBlock({ text, copyLabel = words.copyCommand, children }: CodeBlockProps) {
  return (
    <div className="code code--one">
      <Scrollable>{children ?? text}</Scrollable>
      <CopyButton text={text} label={copyLabel} />
    </div>
  );
}

export interface CommandTabsProps {
  items: { id: string; label: string; text: string }[];
  chosen: string;
  onChoose: (id: string) => void;
  label?: string | undefined;
}

/** The same call for several clients; the page remembers the choice. */
export function CommandTabs({ items, chosen, onChoose, label = words.client }: CommandTabsProps) {
  const id = useId();
  const shown = items.find((item) => item.id === chosen) ?? items[0];
  if (shown === undefined) return null;
  return (
    <div className="code">
      <div className="code__h">
        <div className="grow cut">
          <Segmented
            label={label}
            size="sm"
            value={shown.id}
            options={items.map((item) => ({ value: item.id, label: item.label }))}
            onChange={onChoose}
          />
        </div>
        <CopyButton text={shown.text} label={words.copyCommand} />
      </div>
      <div id={id}>
        <Scrollable>{shown.text}</Scrollable>
      </div>
    </div>
  );
}

/** A secret, on the only page that ever shows it. */
export function Secret({ text }: { text: string }) {
  return (
    <div className="secret">
      <code>{text}</code>
      <CopyTextButton text={text} label={words.copySecret} tone="primary" />
    </div>
  );
}

function Scrollable({ children }: { children: ReactNode }) {
  // What scrolls sideways must be reachable by the keyboard.
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  return <pre tabIndex={0}>{children}</pre>;
}
