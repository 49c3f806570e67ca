// Copy: a quiet button on every id, key, command and cell. It turns to a tick, and "copied" is read aloud.
import { useEffect, useRef, useState } from 'react';
import { announce } from './announce.ts';
import { Button, type ButtonTone } from './button.tsx';
import { classNames } from './class-names.ts';
import { copyText } from './copy-text.ts';
import { toast } from './toast-store.ts';
import { words } from './words.ts';

const tickTime = 2000;

/** Copies, says so, and is done for two seconds. */
export function useCopy(text: string): { isDone: boolean; copy: () => void } {
  const [isDone, setIsDone] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    if (!(await copyText(text))) {
      toast({ text: words.copyFailed, tone: 'bad' });
      return;
    }
    announce(words.copied);
    setIsDone(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setIsDone(false), tickTime);
  };
  return { isDone, copy: () => void copy() };
}

export interface CopyButtonProps {
  text: string;
  /** What is copied: "Copy key dark-mode". */
  label: string;
}

export function CopyButton({ text, label }: CopyButtonProps) {
  const { isDone, copy } = useCopy(text);
  return (
    <button
      type="button"
      className={classNames('copy', isDone && 'is-done')}
      aria-label={label}
      title={label}
      onClick={copy}
    />
  );
}

/** The same as a button with words, for the one thing on a page that is to be copied. */
export function CopyTextButton({ text, label, tone }: CopyButtonProps & { tone?: ButtonTone | undefined }) {
  const { isDone, copy } = useCopy(text);
  return (
    <Button tone={tone} size="sm" icon={isDone ? 'check' : 'copy'} onClick={copy}>
      {isDone ? words.copied : label}
    </Button>
  );
}
