// One cell, or its whole item, as a tree beside the table.
import { useState } from 'react';
import { ReadProblem } from '../../../lib/read-problem.tsx';
import { SidePanel } from '../../../lib/side-panel.tsx';
import { Button } from '../../../ui/button.tsx';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { Skeleton } from '../../../ui/states.tsx';
import type { Dataset } from '../storage.ts';
import { WORDS } from './dataset-words.ts';
import type { CellPlace } from './item-table.tsx';
import { useItemPage } from './items.ts';
import { pathOf, ValueTree } from './value-tree.tsx';

export interface CellPanelProps {
  dataset: Dataset;
  place: CellPlace;
  onMove: (row: number) => void;
  onClose: () => void;
}

export function CellPanel({ dataset, place, onMove, onClose }: CellPanelProps) {
  const { row, field } = place;
  const [part, setPart] = useState<'field' | 'item'>('field');
  const { items, first, isPlaceholderData, error, refetch } = useItemPage(dataset, row);
  const item = isPlaceholderData ? undefined : items[row - first];
  const value = part === 'field' ? item?.[field] : item;
  return (
    <SidePanel
      key={`${row} ${field}`}
      title={part === 'field' ? field : WORDS.item(formatCount(row + 1))}
      text={
        <span className="row row--4">
          <Button
            tone="ghost"
            size="xs"
            icon="left"
            label={WORDS.previousItem}
            disabledReason={row === 0 ? WORDS.firstPage : undefined}
            onClick={() => onMove(row - 1)}
          />
          {WORDS.item(formatCount(row + 1))}
          <Button
            tone="ghost"
            size="xs"
            icon="right"
            label={WORDS.nextItem}
            disabledReason={row >= dataset.itemCount - 1 ? WORDS.lastPage : undefined}
            onClick={() => onMove(row + 1)}
          />
        </span>
      }
      onClose={onClose}
      footer={item !== undefined && <CopyTextButton text={textOf(value)} label={WORDS.copyValue} />}
    >
      <section className="stack">
        <div>
          <Segmented
            label={WORDS.wholeItem}
            size="sm"
            value={part}
            options={[
              { value: 'field', label: WORDS.oneField },
              { value: 'item', label: WORDS.wholeItem },
            ]}
            onChange={setPart}
          />
        </div>
        {error !== null && items.length === 0 ? (
          <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
        ) : item === undefined ? (
          <Skeleton lines={4} />
        ) : part === 'field' ? (
          <ValueTree value={value} path={pathOf('', field, false)} name={field} isOpen />
        ) : (
          <div>
            {Object.entries(item).map(([name, each]) => (
              <ValueTree key={name} value={each} path={pathOf('', name, false)} name={name} />
            ))}
          </div>
        )}
      </section>
    </SidePanel>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '');
}
