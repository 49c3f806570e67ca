// A record as its type is best looked at. What users stored never runs here: pages stand in a frame without scripts, images and films
// are only drawn, and everything else is text.
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Call } from '../../../api/call.ts';
import type { ApiError } from '../../../api/error.ts';
import { keyOf } from '../../../api/read.ts';
import type { RecordHead } from '../../../api/types/signalbox.ts';
import { ReadProblem } from '../../../lib/read-problem.tsx';
import { signLink } from '../../../lib/signed-link.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { formatBytes } from '../../../ui/format.ts';
import { useKeys } from '../../../ui/keys.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { Skeleton } from '../../../ui/states.tsx';
import { RecordEditor } from './record-editor.tsx';
import { kindOf, recordCall, useRecordContent, type RecordContent } from './records.ts';
import { WORDS } from './store-words.ts';

export interface RecordPreviewProps {
  storeId: string;
  head: RecordHead;
  /** It was changed: its type and its ETag are others now. */
  onReload: () => void;
}

export function RecordPreview(props: RecordPreviewProps) {
  const { storeId, head } = props;
  const kind = kindOf(head.contentType);
  const [view, setView] = useState<'preview' | 'source'>('preview');
  const call = recordCall(storeId, head.key);
  if (kind === 'image')
    return (
      <Linked call={call} version={head.etag}>
        {(url) => <img className="rec-img" src={url} alt={head.key} />}
      </Linked>
    );
  if (kind === 'media')
    return (
      <Linked call={call} version={head.etag}>
        {(url) => (
          // What users stored has no captions beside it.
          // oxlint-disable-next-line jsx-a11y/media-has-caption
          <video className="rec-img" src={url} controls aria-label={head.key}>
            {WORDS.mediaFailed}
          </video>
        )}
      </Linked>
    );
  if (kind === 'pdf')
    return (
      <section>
        <p className="t13 muted">{WORDS.pdf}</p>
      </section>
    );
  if (kind !== 'html') return <Content {...props} />;
  return (
    <>
      <section>
        <Segmented
          label={WORDS.how}
          size="sm"
          value={view}
          options={[
            { value: 'preview', label: WORDS.preview },
            { value: 'source', label: WORDS.source },
          ]}
          onChange={setView}
        />
      </section>
      {view === 'source' ? (
        <Content {...props} />
      ) : (
        <Linked call={call} version={head.etag}>
          {(url) => (
            <>
              <iframe className="rec-frame" src={url} sandbox="" title={WORDS.frame(head.key)} />
              <p className="t12 muted">{WORDS.noScripts}</p>
            </>
          )}
        </Linked>
      )}
    </>
  );
}

interface LinkedProps {
  call: Call;
  /** Another one makes another link. */
  version: string;
  children: (url: string) => ReactNode;
}

/** What the browser fetches itself, by a link that is signed for a minute. */
function Linked({ call, version, children }: LinkedProps) {
  const { data, error, refetch } = useQuery<string, ApiError>({
    queryKey: ['link', ...keyOf(call), version],
    queryFn: () => signLink(call),
    // What is shown stays: another link would load it again.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return (
    <section className="stack">
      {data !== undefined ? (
        children(data)
      ) : error === null ? (
        <Skeleton shape="tile" />
      ) : (
        <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
      )}
    </section>
  );
}

function Content(props: RecordPreviewProps) {
  const { storeId, head } = props;
  const { data, error, refetch } = useRecordContent(storeId, head);
  if (data === undefined)
    return (
      <section>
        {error === null ? (
          <Skeleton lines={6} />
        ) : (
          <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
        )}
      </section>
    );
  const text = kindOf(head.contentType) === 'bytes' ? undefined : textOf(data.bytes);
  return text === undefined ? (
    <HexView content={data} head={head} />
  ) : (
    <TextView {...props} text={text} isWhole={data.isWhole} />
  );
}

/** Undefined for what is no text, whatever its type says. */
function textOf(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  const text = new TextDecoder().decode(bytes);
  return text.includes('\0') ? undefined : text;
}

function TextView(props: RecordPreviewProps & { text: string; isWhole: boolean }) {
  const { head, text, isWhole } = props;
  const [isEditing, setEditing] = useState(false);
  useKeys({ e: () => setEditing(true) }, { isOn: isWhole && !isEditing });
  if (isEditing) return <RecordEditor {...props} onDone={() => setEditing(false)} />;
  const shown = isWhole && kindOf(head.contentType) === 'json' ? prettyJson(text) : text;
  return (
    <section className="stack">
      {isWhole ? (
        <div>
          <Button size="sm" icon="pen" keys="e" onClick={() => setEditing(true)}>
            {WORDS.edit}
          </Button>
        </div>
      ) : (
        <PartNote text={text} head={head} />
      )}
      <CodeBlock text={text} copyLabel={WORDS.copyText}>
        {shown}
      </CodeBlock>
    </section>
  );
}

function PartNote({ text, head }: { text: string; head: RecordHead }) {
  return <p className="t13 muted">{WORDS.part(formatBytes(text.length), formatBytes(head.size))}</p>;
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

function HexView({ content, head }: { content: RecordContent; head: RecordHead }) {
  const { bytes, isWhole } = content;
  const shown = bytes.subarray(0, 4096);
  return (
    <section className="stack">
      {(!isWhole || shown.length < bytes.length) && (
        <p className="t13 muted">{WORDS.part(formatBytes(shown.length), formatBytes(head.size))}</p>
      )}
      {/* What scrolls sideways must be reachable by the keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className="rec-hex" tabIndex={0} aria-label={WORDS.bytes}>
        {hexLines(shown)}
      </pre>
    </section>
  );
}

const IN_LINE = 16;

/** Bytes as numbers and letters, sixteen in a line. */
function hexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += IN_LINE) {
    const part = [...bytes.subarray(at, at + IN_LINE)];
    const numbers = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const letters = part.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${numbers.padEnd(IN_LINE * 3 - 1)}  ${letters}`);
  }
  return lines.join('\n');
}
