// One changed file: its name and counts, and its difference, which is drawn when it comes near the window.
import { memo, useMemo, useState } from 'react';
import { useInView } from '../../lib/in-view.ts';
import { SignedImage } from '../../lib/signed-image.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cssVars } from '../../ui/css-vars.ts';
import { formatCount } from '../../ui/format.ts';
import { Badge } from '../../ui/status.tsx';
import { useTokenizer } from '../../lib/highlight/use-tokenizer.ts';
import { isImage, type DiffContext, type DiffFile } from './diff-file.ts';
import { DiffTable, type LineTokens } from './diff-table.tsx';
import { DIFF_WORDS } from './diff-words.ts';
import { parsePatch, type Hunk, type PatchLine } from './patch.ts';

/** Longer differences are drawn when somebody asks for them. */
const LARGE = 1500;
/** Lines that are drawn at once. */
const LINES_STEP = 3000;
const LINE_HEIGHT = 20;

export interface DiffFileCardProps {
  id: string;
  file: DiffFile;
  context: DiffContext;
}

/** Drawn anew only when it is about something else: there may be hundreds, read a page at a time. */
export const DiffFileCard = memo(function DiffFileCard({ id, file, context }: DiffFileCardProps) {
  const { filename } = file;
  const { viewed } = context;
  const isViewed = viewed?.has(file) === true;
  const [isFolded, setFolded] = useState(isViewed);
  const { ref, isSeen } = useInView<HTMLElement>();
  const href = file.status === 'removed' ? undefined : context.hrefOf?.(file);
  return (
    <section
      ref={ref}
      id={id}
      className="card dfile"
      style={cssVars({ h: `${estimate(file)}px` })}
      aria-label={filename}
      tabIndex={-1}
    >
      <div className="card__h dfile__h">
        <Button
          tone="ghost"
          size="xs"
          icon={isFolded ? 'right' : 'down'}
          label={isFolded ? DIFF_WORDS.unfold(filename) : DIFF_WORDS.fold(filename)}
          aria-expanded={!isFolded}
          onClick={() => setFolded(!isFolded)}
        />
        <FileName file={file} />
        <CopyButton text={filename} label={DIFF_WORDS.copyPath} />
        <StatusBadge status={file.status} />
        <Counts file={file} />
        <span className="push" />
        {viewed !== undefined && (
          <Button
            size="xs"
            tone="ghost"
            icon={isViewed ? 'ok' : 'ring'}
            aria-pressed={isViewed}
            onClick={() => {
              viewed.toggle(file);
              setFolded(!isViewed);
            }}
          >
            {DIFF_WORDS.viewed}
          </Button>
        )}
        {href !== undefined && (
          <ButtonLink size="xs" tone="ghost" icon="file" href={href} label={DIFF_WORDS.open} />
        )}
      </div>
      {!isFolded && (isSeen ? <DiffBody file={file} context={context} /> : <div className="dfile__wait" />)}
    </section>
  );
});

/** So that the page keeps its length when the difference is drawn. */
function estimate({ patch, changes }: DiffFile): number {
  return patch === undefined ? 48 : Math.min(changes + 8, LARGE) * LINE_HEIGHT;
}

function FileName({ file: { filename, previous_filename: before } }: { file: DiffFile }) {
  return (
    <h3 className="mono cut dfile__n">
      {before !== undefined && before !== filename && <span className="muted">{before} → </span>}
      {filename}
    </h3>
  );
}

function StatusBadge({ status }: Pick<DiffFile, 'status'>) {
  if (status === 'modified' || status === 'unchanged') return null;
  return <Badge>{DIFF_WORDS[status]}</Badge>;
}

export function Counts({
  file: { additions, deletions },
}: {
  file: Pick<DiffFile, 'additions' | 'deletions'>;
}) {
  return (
    <span className="t12 nw">
      {additions > 0 && (
        <span className="ok">
          <span aria-hidden="true">+{formatCount(additions)}</span>
          <span className="vh">{DIFF_WORDS.additions(formatCount(additions))}</span>
        </span>
      )}{' '}
      {deletions > 0 && (
        <span className="bad">
          <span aria-hidden="true">−{formatCount(deletions)}</span>
          <span className="vh">{DIFF_WORDS.deletions(formatCount(deletions))}</span>
        </span>
      )}
    </span>
  );
}

function DiffBody({ file, context }: { file: DiffFile; context: DiffContext }) {
  const { patch, changes } = file;
  const [isAsked, setAsked] = useState(false);
  if (patch === undefined && isImage(file)) return <ImageBody file={file} context={context} />;
  if (patch === undefined)
    return (
      <p className="card__b muted t13">
        {changes === 0 && isMoved(file) ? DIFF_WORDS.noLines : DIFF_WORDS.noPatch}
      </p>
    );
  if (changes > LARGE && !isAsked)
    return (
      <p className="card__b row row--wrap t13">
        {DIFF_WORDS.large(formatCount(changes))}
        <Button size="sm" onClick={() => setAsked(true)}>
          {DIFF_WORDS.show}
        </Button>
      </p>
    );
  return <Patch file={file} patch={patch} context={context} />;
}

function isMoved({ status }: DiffFile): boolean {
  return status === 'renamed' || status === 'copied' || status === 'changed';
}

/** Both sides, where there are two. */
function ImageBody({ file, context: { bytesOf } }: { file: DiffFile; context: DiffContext }) {
  const before = file.status === 'added' ? undefined : bytesOf?.(file, 'LEFT');
  const after = file.status === 'removed' ? undefined : bytesOf?.(file, 'RIGHT');
  return (
    <div className="card__b">
      <p className="muted t13">{DIFF_WORDS.image}</p>
      <div className="dimgs">
        {before !== undefined && (
          <figure>
            <figcaption className="muted t12">{DIFF_WORDS.before}</figcaption>
            <SignedImage
              call={before}
              alt={`${DIFF_WORDS.before}: ${file.previous_filename ?? file.filename}`}
            />
          </figure>
        )}
        {after !== undefined && (
          <figure>
            <figcaption className="muted t12">{DIFF_WORDS.after}</figcaption>
            <SignedImage call={after} alt={`${DIFF_WORDS.after}: ${file.filename}`} />
          </figure>
        )}
      </div>
    </div>
  );
}

function Patch({ file, patch, context }: { file: DiffFile; patch: string; context: DiffContext }) {
  const { filename, status } = file;
  // Beside a file that is new or gone there is nothing.
  const mode = status === 'added' || status === 'removed' ? 'unified' : context.mode;
  const hunks = useMemo(() => parsePatch(patch), [patch]);
  const [shown, setShown] = useState(LINES_STEP);
  const tokenizer = useTokenizer(filename, patch.length);
  const tokens = useMemo(() => tokensOf(hunks, tokenizer), [hunks, tokenizer]);
  const drawn = useMemo(() => firstLines(hunks, shown), [hunks, shown]);
  const rest = countLines(hunks) - shown;
  return (
    // What scrolls must be reachable by the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="dfile__b" role="region" aria-label={DIFF_WORDS.region(filename)} tabIndex={0}>
      <DiffTable path={filename} hunks={drawn} mode={mode} tokens={tokens} notes={context.notes} />
      {rest > 0 && (
        <p className="card__b">
          <Button size="sm" onClick={() => setShown(shown + LINES_STEP)}>
            {DIFF_WORDS.more(formatCount(Math.min(rest, LINES_STEP)))}
          </Button>
        </p>
      )}
    </div>
  );
}

function countLines(hunks: readonly Hunk[]): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length, 0);
}

function firstLines(hunks: readonly Hunk[], most: number): Hunk[] {
  const taken: Hunk[] = [];
  let left = most;
  for (const hunk of hunks) {
    if (left <= 0) break;
    taken.push(hunk.lines.length <= left ? hunk : { ...hunk, lines: hunk.lines.slice(0, left) });
    left -= hunk.lines.length;
  }
  return taken;
}

/** Each side is read by itself: what was removed is no part of the text after it. */
function tokensOf(hunks: readonly Hunk[], tokenizer: ReturnType<typeof useTokenizer>): LineTokens {
  const tokens = new Map<PatchLine, ReturnType<NonNullable<typeof tokenizer>>[number]>();
  if (tokenizer === undefined) return tokens;
  for (const { lines } of hunks)
    for (const other of ['del', 'add'] as const) {
      const side = lines.filter(({ kind }) => kind !== other);
      const found = tokenizer(side.map(({ text }) => text));
      for (const [index, line] of side.entries()) tokens.set(line, found[index]!);
    }
  return tokens;
}
