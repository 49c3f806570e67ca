// Exports what is filtered: it counts while it reads, can be stopped, and says when something was cut off.
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/error.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { Menu } from '../../ui/menu.tsx';
import {
  MAX_EXPORTED,
  readForExport,
  saveFile,
  toText,
  type ExportFormat,
  type ExportProgress,
} from './audit-export.ts';
import type { AuditQuery } from './audit-queries.ts';
import { AUDIT } from './audit-words.ts';

type ExportState =
  | { kind: 'idle' }
  | { kind: 'running'; progress: ExportProgress }
  | { kind: 'done'; text: string; isCut: boolean }
  | { kind: 'failed'; text: string };

const WORDS = AUDIT.export;

/** The button, and what is said about the export below the head of the page. */
export function useAuditExport(query: AuditQuery) {
  const [state, setState] = useState<ExportState>({ kind: 'idle' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const begin = async (format: ExportFormat) => {
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    try {
      const { entries, isCut } = await readForExport(
        query,
        (progress) => setState({ kind: 'running', progress }),
        signal,
      );
      if (entries.length === 0) return setState({ kind: 'done', text: WORDS.nothing, isCut: false });
      const file = saveFile(toText(entries, format), format, Date.now());
      setState({ kind: 'done', text: WORDS.done(formatCount(entries.length), file), isCut });
    } catch (error) {
      if (signal.aborted) return setState({ kind: 'done', text: WORDS.stopped, isCut: false });
      setState({ kind: 'failed', text: `${WORDS.failed} ${error instanceof ApiError ? error.message : ''}` });
    }
    return undefined;
  };
  const button = (
    <Menu
      trigger={
        <Button icon="dl" hasCaret isBusy={state.kind === 'running'}>
          {WORDS.button}
        </Button>
      }
      items={[
        { label: WORDS.lines, onSelect: () => void begin('jsonl') },
        { label: WORDS.csv, onSelect: () => void begin('csv') },
      ]}
    />
  );
  return {
    button,
    note: (
      <ExportNote
        state={state}
        onStop={() => running.current?.abort()}
        onDismiss={() => setState({ kind: 'idle' })}
      />
    ),
  };
}

interface ExportNoteProps {
  state: ExportState;
  onStop: () => void;
  onDismiss: () => void;
}

function ExportNote({ state, onStop, onDismiss }: ExportNoteProps) {
  if (state.kind === 'idle') return null;
  if (state.kind === 'running') {
    const { count, isWaiting } = state.progress;
    return (
      <Banner
        action={
          <Button size="sm" icon="stop" onClick={onStop}>
            {WORDS.stop}
          </Button>
        }
      >
        {WORDS.running(formatCount(count))} {isWaiting && WORDS.waiting}
      </Banner>
    );
  }
  if (state.kind === 'failed')
    return (
      <Banner tone="bad" onDismiss={onDismiss}>
        {state.text}
      </Banner>
    );
  return (
    <Banner tone={state.isCut ? 'warn' : 'info'} onDismiss={onDismiss}>
      <span role="status">
        {state.text} {state.isCut && WORDS.cut(formatCount(MAX_EXPORTED))}
      </span>
    </Banner>
  );
}
