// Markdown: written on one side, shown as the server renders it on the other.
import { useState, type ReactNode } from 'react';
import { SafeHtml } from '../../lib/safe-html.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';

import { ErrorState, Skeleton } from '../../ui/states.tsx';
import type { RepositoryPlace } from '../place.ts';
import { usePreview } from './issue-queries.ts';
import { ISSUE } from './issue-words.ts';
import '../../styles/issues.css';

/** As the API has it. */
const MAX_LENGTH = 65_536;

export interface TextEditorProps {
  /** The repository that the text belongs to; undefined for a text of none. */
  place?: RepositoryPlace | undefined;
  label: string;
  value: string;
  onChange: (text: string) => void;
  rows?: number;
  help?: ReactNode;
  error?: ReactNode;
  /** Ctrl or Cmd with Enter. */
  onSubmit?: (() => void) | undefined;
  isFocused?: boolean;
  /** Beside the choice between writing and preview. */
  tools?: ReactNode;
}

export function TextEditor(props: TextEditorProps) {
  const { place, label, value, onChange, rows = 6, help, error, onSubmit, isFocused, tools } = props;
  const [view, setView] = useState<'write' | 'preview'>('write');
  return (
    <div className="stack stack--8">
      <div className="row row--wrap">
        <Segmented
          label={`${label}: ${ISSUE.view}`}
          size="sm"
          value={view}
          options={[
            { value: 'write', label: ISSUE.write },
            { value: 'preview', label: ISSUE.preview },
          ]}
          onChange={setView}
        />
        {view === 'write' && tools}
      </div>
      {view === 'preview' ? (
        <Preview place={place} text={value} />
      ) : (
        <Field label={label} help={help} error={error}>
          <TextArea
            rows={rows}
            maxLength={MAX_LENGTH}
            value={value}
            onValue={onChange}
            ref={isFocused === true ? focus : undefined}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              onSubmit?.();
            }}
          />
        </Field>
      )}
    </div>
  );
}

function focus(area: HTMLTextAreaElement | null): void {
  area?.focus();
}

function Preview({ place, text }: { place: RepositoryPlace | undefined; text: string }) {
  const isEmpty = text.trim() === '';
  const { data, error, refetch } = usePreview(place, text, !isEmpty);
  if (isEmpty) return <p className="muted t13">{ISSUE.nothing}</p>;
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} isPlain />;
  return (
    <div className="text-preview">
      {data === undefined ? <Skeleton lines={3} /> : <SafeHtml html={data} />}
    </div>
  );
}
