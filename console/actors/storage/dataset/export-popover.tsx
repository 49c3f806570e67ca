// Export: a format, which items, which fields, and beforehand how much that is.
import { useState } from 'react';
import type { Call } from '../../../api/call.ts';
import { useRead } from '../../../api/read.ts';
import { useSayDraft } from '../../../app/draft-call.ts';
import { snippetOf } from '../../../api/snippets.ts';
import type { ExportEstimate } from '../../../api/types/signalbox.ts';
import { useSettled } from '../../../lib/settled.ts';
import { download } from '../../../lib/signed-link.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { Checkbox, RadioCards } from '../../../ui/choice.tsx';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { Field } from '../../../ui/field.tsx';
import { formatBytes, formatCount } from '../../../ui/format.ts';
import { TextInput } from '../../../ui/input.tsx';
import { Popover } from '../../../ui/popover.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import type { Dataset } from '../storage.ts';
import { FORMAT_WORDS, WORDS } from './dataset-words.ts';
import {
  estimateCall,
  EXPORT_FORMATS,
  exportCall,
  exportedCount,
  type ExportChoice,
  type ExportFormat,
} from './export-call.ts';

/** While somebody types a number, nothing is asked for. */
const SETTLE_MS = 250;

export interface ExportProps {
  dataset: Dataset;
  /** All there are, and those that are columns now. */
  fields: readonly string[];
  shown: readonly string[];
}

export function ExportPopover(props: ExportProps) {
  return (
    <Popover
      label={WORDS.export}
      alignment="end"
      trigger={
        <Button tone="primary" icon="dl" hasCaret>
          {WORDS.export}
        </Button>
      }
    >
      <ExportForm {...props} />
    </Popover>
  );
}

function ExportForm({ dataset, fields, shown }: ExportProps) {
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [which, setWhich] = useState<'all' | 'some'>('all');
  const [from, setFrom] = useState('1');
  const [limit, setLimit] = useState('1000');
  const [columns, setColumns] = useState<'shown' | 'all'>('shown');
  const [isClean, setClean] = useState(false);
  const isBad = which === 'some' && !(isCount(from) && isCount(limit));
  const choice: ExportChoice = {
    format,
    isClean,
    fields: columns === 'shown' ? shown : undefined,
    range: which === 'some' && !isBad ? { from: Number(from), limit: Number(limit) } : undefined,
  };
  const call = exportCall(dataset.id, choice);
  useSayDraft(call);
  return (
    <div className="stack stack--16 ds-export">
      <fieldset className="fld">
        <legend className="fld__l">{WORDS.format}</legend>
        <div className="ds-formats">
          <Segmented
            label={WORDS.format}
            size="sm"
            value={format}
            options={EXPORT_FORMATS.map((value) => ({ value, label: FORMAT_WORDS[value] }))}
            onChange={setFormat}
          />
        </div>
      </fieldset>
      <RadioCards
        label={WORDS.which}
        value={which}
        onChange={setWhich}
        options={[
          { value: 'all', label: `${WORDS.allItems} ${formatCount(dataset.itemCount)}` },
          { value: 'some', label: WORDS.range_ },
        ]}
      />
      {which === 'some' && (
        <div className="row">
          <Field label={WORDS.from} error={!isCount(from) && WORDS.badRange}>
            <TextInput inputMode="numeric" value={from} onValue={setFrom} />
          </Field>
          <Field label={WORDS.limit} error={!isCount(limit) && WORDS.badRange}>
            <TextInput inputMode="numeric" value={limit} onValue={setLimit} />
          </Field>
        </div>
      )}
      <RadioCards
        label={WORDS.exportFields}
        value={columns}
        onChange={setColumns}
        options={[
          { value: 'shown', label: WORDS.shownColumns(formatCount(shown.length)) },
          { value: 'all', label: WORDS.allFields(formatCount(fields.length)) },
        ]}
      />
      <Checkbox label={WORDS.clean} isChecked={isClean} onChange={setClean} />
      <Banner tone="neutral">
        <Estimate dataset={dataset} choice={choice} fieldCount={fields.length} /> {WORDS.streams}
      </Banner>
      <div className="row row--wrap">
        <Button
          tone="primary"
          icon="dl"
          className="grow"
          disabledReason={isBad ? WORDS.badRange : undefined}
          onClick={() => void download(call)}
        >
          {WORDS.download(FORMAT_WORDS[format])}
        </Button>
        <CopyTextButton text={snippetOf(call, 'curl')} label={WORDS.copyCall} />
      </div>
    </div>
  );
}

interface EstimateProps {
  dataset: Dataset;
  choice: ExportChoice;
  fieldCount: number;
}

function Estimate({ dataset, choice, fieldCount }: EstimateProps) {
  const call = useSettled(JSON.stringify(estimateCall(dataset.id, choice)), SETTLE_MS);
  const { data, error } = useRead<ExportEstimate>(
    { call: JSON.parse(call) as Call },
    { keepsPrevious: true },
  );
  const rows = formatCount(exportedCount(dataset.itemCount, choice));
  const columns = formatCount(choice.fields?.length ?? fieldCount);
  const size =
    data !== undefined
      ? (data.isExact ? formatBytes : aboutBytes)(data.bytes)
      : error === null
        ? '…'
        : WORDS.sizeUnknown;
  return (
    <>
      {WORDS.estimate(rows, columns)}, {size}.
    </>
  );
}

function aboutBytes(bytes: number): string {
  return WORDS.about(formatBytes(bytes));
}

function isCount(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text.trim());
}
