// Editors of lists: texts, pairs of key and value, and addresses. Several lines that are pasted become several rows.
import { useId, type ClipboardEvent, type ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextInput } from '../../ui/input.tsx';
import type { EditorProps, Pair, Source } from './input-field.tsx';
import { INPUT_WORDS } from './input-words.ts';

interface RowsProps<Row> {
  label: string;
  rows: readonly Row[];
  empty: Row;
  onRows: (rows: Row[]) => void;
  /** `id` is of the row: the label of the field belongs to none of its controls alone. */
  children: (row: Row, index: number, change: (row: Row) => void, id: string) => ReactNode;
}

/** Rows with a button to remove each, and one to add another. */
function Rows<Row>({ label, rows, empty, onRows, children }: RowsProps<Row>) {
  const id = useId();
  return (
    <div className="input-rows" role="group" aria-label={label}>
      {rows.map((row, index) => (
        <div key={index} className="input-row">
          {children(
            row,
            index,
            (next) => onRows(rows.map((one, at) => (at === index ? next : one))),
            `${id}-${index}`,
          )}
          <Button
            tone="ghost"
            size="sm"
            icon="x"
            label={INPUT_WORDS.removeRow(formatCount(index + 1))}
            onClick={() => onRows(rows.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <div>
        <Button
          size="sm"
          icon="plus"
          aria-label={INPUT_WORDS.addRow(label)}
          onClick={() => onRows([...rows, empty])}
        >
          {INPUT_WORDS.add}
        </Button>
      </div>
    </div>
  );
}

/** No rows are no value. */
function orNone<Row>(rows: readonly Row[]): readonly Row[] | undefined {
  return rows.length === 0 ? undefined : rows;
}

function pastedLines(event: ClipboardEvent): string[] | undefined {
  const lines = event.clipboardData
    .getData('text')
    .split(/\r?\n/)
    .map((line) => line.trim());
  const texts = lines.filter((line) => line !== '');
  return texts.length > 1 ? texts : undefined;
}

/** Puts the lines in place of the row that they were pasted into. */
function pasteInto<Row>(rows: readonly Row[], index: number, pasted: readonly Row[]): Row[] {
  return [...rows.slice(0, index), ...pasted, ...rows.slice(index + 1)];
}

export function TextRows({ label, value = [], onValue }: EditorProps<string[]>) {
  return (
    <Rows label={label} rows={value} empty="" onRows={(rows) => onValue(orNone(rows))}>
      {(text, index, change, id) => (
        <TextInput
          id={id}
          aria-label={INPUT_WORDS.row(label, formatCount(index + 1))}
          value={text}
          onValue={change}
          onPaste={(event: ClipboardEvent) => {
            const lines = pastedLines(event);
            if (lines === undefined) return;
            event.preventDefault();
            onValue(pasteInto(value, index, lines));
          }}
        />
      )}
    </Rows>
  );
}

export function KeyValueRows({ label, field, value = [], onValue }: EditorProps<Pair[]>) {
  return (
    <Rows label={label} rows={value} empty={{ key: '', value: '' }} onRows={(rows) => onValue(orNone(rows))}>
      {(pair, index, change, id) => (
        <>
          <TextInput
            id={`${id}-key`}
            aria-label={INPUT_WORDS.keyOf(label, formatCount(index + 1))}
            placeholder={field.placeholderKey ?? INPUT_WORDS.key}
            value={pair.key}
            onValue={(key) => change({ ...pair, key })}
          />
          <TextInput
            id={`${id}-value`}
            aria-label={INPUT_WORDS.valueOf(label, formatCount(index + 1))}
            placeholder={field.placeholderValue ?? INPUT_WORDS.value}
            value={pair.value}
            onValue={(text) => change({ ...pair, value: text })}
          />
        </>
      )}
    </Rows>
  );
}

export interface SourceRowsProps extends EditorProps<Source[]> {
  /** The member that has the text: `url`, `glob` or `purl`. */
  textKey: string;
}

/** What a row has beside its address stays. */
export function SourceRows({ label, value = [], onValue, textKey }: SourceRowsProps) {
  return (
    <>
      <Rows label={label} rows={value} empty={{ [textKey]: '' }} onRows={(rows) => onValue(orNone(rows))}>
        {(source, index, change, id) => (
          <TextInput
            id={id}
            isMono
            type="text"
            inputMode="url"
            spellCheck={false}
            aria-label={INPUT_WORDS.urlOf(formatCount(index + 1))}
            placeholder={INPUT_WORDS.url}
            value={String(source[textKey])}
            onValue={(text) => change({ ...source, [textKey]: text })}
            onPaste={(event: ClipboardEvent) => {
              const lines = pastedLines(event);
              if (lines === undefined) return;
              event.preventDefault();
              onValue(
                pasteInto(
                  value,
                  index,
                  lines.map((line): Source => ({ [textKey]: line })),
                ),
              );
            }}
          />
        )}
      </Rows>
      <p className="help">{INPUT_WORDS.pasteUrls}</p>
      {value.some((source) => Object.keys(source).length > 1) && (
        <p className="help">{INPUT_WORDS.moreInJson}</p>
      )}
    </>
  );
}
