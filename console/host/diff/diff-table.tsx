// The lines of a difference, one below the other or side by side. A screen reader hears "added" and "removed", for signs alone are
// often not read.
import { Fragment, memo, type ReactNode } from 'react';
import { CodeText } from '../../lib/highlight/code-text.tsx';
import type { Token } from '../../lib/highlight/tokenize.ts';
import type { DiffMode, LineNotes, LineSpot } from './diff-file.ts';
import { DIFF_WORDS } from './diff-words.ts';
import { splitRows, type Hunk, type PatchLine } from './patch.ts';

export type LineTokens = ReadonlyMap<PatchLine, readonly Token[]>;

export interface DiffTableProps {
  path: string;
  hunks: readonly Hunk[];
  mode: DiffMode;
  tokens: LineTokens;
  notes: LineNotes | undefined;
}

export const DiffTable = memo(function DiffTable(props: DiffTableProps) {
  const { hunks, mode } = props;
  const isSplit = mode === 'split';
  return (
    <table className={isSplit ? 'diff diff--split' : 'diff'}>
      {isSplit && (
        <colgroup>
          <col className="diff__cn" />
          <col />
          <col className="diff__cn" />
          <col />
        </colgroup>
      )}
      {hunks.map((hunk) => (
        <tbody key={`${hunk.before} ${hunk.after}`}>
          <tr className="hunk">
            <td colSpan={4}>
              @@ −{hunk.before} +{hunk.after} @@ {hunk.title}
            </td>
          </tr>
          {isSplit ? <SplitLines hunk={hunk} {...props} /> : <UnifiedLines hunk={hunk} {...props} />}
        </tbody>
      ))}
    </table>
  );
});

type LinesProps = DiffTableProps & { hunk: Hunk };

function UnifiedLines({ hunk, path, tokens, notes }: LinesProps) {
  return (
    <>
      {hunk.lines.map((line) => {
        const spots = spotsOf(path, line);
        const [spot] = spots;
        return (
          <Fragment key={`${line.before} ${line.after}`}>
            <tr className={line.kind === 'same' ? undefined : line.kind}>
              <td className="n">{line.before}</td>
              <td className="n">
                {line.after}
                {spot !== undefined && <AddButton spot={spot} notes={notes} />}
              </td>
              <Sign kind={line.kind} />
              <td className="t">
                <LineText line={line} tokens={tokens} />
              </td>
            </tr>
            <NoteRows spots={spots} hunk={hunk} notes={notes} columns={4} />
          </Fragment>
        );
      })}
    </>
  );
}

function SplitLines({ hunk, path, tokens, notes }: LinesProps) {
  return (
    <>
      {splitRows(hunk.lines).map(({ left, right }) => {
        const spots = [
          ...(left?.kind === 'del' ? spotsOf(path, left) : []),
          ...(right === undefined ? [] : spotsOf(path, right)),
        ];
        return (
          <Fragment key={`${left?.before} ${right?.after}`}>
            <tr>
              <SideCells line={left} number={left?.before} path={path} tokens={tokens} notes={notes} />
              <SideCells line={right} number={right?.after} path={path} tokens={tokens} notes={notes} />
            </tr>
            <NoteRows spots={spots} hunk={hunk} notes={notes} columns={4} />
          </Fragment>
        );
      })}
    </>
  );
}

interface SideCellsProps extends Pick<DiffTableProps, 'path' | 'tokens' | 'notes'> {
  line: PatchLine | undefined;
  number: number | undefined;
}

function SideCells({ line, number, path, tokens, notes }: SideCellsProps) {
  if (line === undefined)
    return (
      <>
        <td className="n diff__void">{NOTHING}</td>
        <td className="diff__void">{NOTHING}</td>
      </>
    );
  const isChanged = line.kind !== 'same';
  const isCommented = isChanged || number === line.after;
  const [spot] = isCommented ? spotsOf(path, line) : [];
  const ground = isChanged ? `is-${line.kind}` : '';
  return (
    <>
      <td className={`n ${ground}`}>
        {number}
        {spot !== undefined && <AddButton spot={spot} notes={notes} />}
      </td>
      <td className={`t ${ground}`}>
        {isChanged && <span className="vh">{SPOKEN[line.kind]}</span>}
        <LineText line={line} tokens={tokens} />
      </td>
    </>
  );
}

const NOTHING = '\u00A0';
const SIGNS = { same: '', add: '+', del: '−' };
const SPOKEN = { same: '', add: DIFF_WORDS.added, del: DIFF_WORDS.removed };

function Sign({ kind }: { kind: PatchLine['kind'] }) {
  return (
    <td className="s">
      <span aria-hidden="true">{SIGNS[kind]}</span>
      {kind !== 'same' && <span className="vh">{SPOKEN[kind]}</span>}
    </td>
  );
}

function LineText({ line, tokens }: { line: PatchLine; tokens: LineTokens }) {
  const { text, mark, kind, isUnended } = line;
  return (
    <>
      <CodeText
        text={text}
        tokens={tokens.get(line)}
        mark={mark && { ...mark, as: kind === 'del' ? 'del' : 'ins' }}
      />
      {isUnended && <span className="diff__end"> ({DIFF_WORDS.unended})</span>}
    </>
  );
}

/** An equal line is spoken about as it is after the change. */
function spotsOf(path: string, { kind, before, after }: PatchLine): LineSpot[] {
  if (kind === 'del') return before === undefined ? [] : [{ path, side: 'LEFT', line: before }];
  return after === undefined ? [] : [{ path, side: 'RIGHT', line: after }];
}

function AddButton({ spot, notes }: { spot: LineSpot; notes: LineNotes | undefined }) {
  const onAdd = notes?.onAdd;
  if (onAdd === undefined) return null;
  return (
    <button
      type="button"
      className="diff__add"
      aria-label={DIFF_WORDS.comment(spot.line)}
      onClick={() => onAdd(spot)}
    >
      +
    </button>
  );
}

interface NoteRowsProps {
  spots: readonly LineSpot[];
  hunk: Hunk;
  notes: LineNotes | undefined;
  columns: number;
}

function NoteRows({ spots, hunk, notes, columns }: NoteRowsProps) {
  if (notes === undefined) return null;
  const said: [LineSpot, ReactNode][] = spots.map((spot) => [spot, notes.at(spot, hunk)]);
  return (
    <>
      {said
        .filter(([, note]) => note !== undefined && note !== null && note !== false)
        .map(([{ side, line }, note]) => (
          <tr key={`${side} ${line}`} className="talk">
            <td colSpan={columns}>{note}</td>
          </tr>
        ))}
    </>
  );
}
