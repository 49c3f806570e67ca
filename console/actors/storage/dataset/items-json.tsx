// A page of items as JSON.
import { useMemo } from 'react';
import { ReadProblem } from '../../../lib/read-problem.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Skeleton } from '../../../ui/states.tsx';
import type { Dataset } from '../storage.ts';
import { WORDS } from './dataset-words.ts';
import { useItemPage } from './items.ts';
import { PageBar } from './page-bar.tsx';

/** More would be drawn slowly, and read by nobody. */
const MOST_CHARACTERS = 200_000;

export interface ItemsPageProps {
  dataset: Dataset;
  offset: number;
  onOffset: (row: number) => void;
}

export function ItemsJson({ dataset, offset, onOffset }: ItemsPageProps) {
  const { data, items, first, size, error, refetch } = useItemPage(dataset, offset);
  const text = useMemo(() => JSON.stringify(data ?? [], undefined, 2), [data]);
  if (data === undefined)
    return error === null ? (
      <Skeleton lines={10} />
    ) : (
      <ReadProblem error={error} onRetry={() => void refetch()} />
    );
  return (
    <div className="stack">
      <PageBar first={first} count={items.length} size={size} total={dataset.itemCount} onOffset={onOffset} />
      <div className="ds-json">
        <CodeBlock text={text} copyLabel={WORDS.copyJson}>
          {text.slice(0, MOST_CHARACTERS)}
        </CodeBlock>
      </div>
      {text.length > MOST_CHARACTERS && (
        <p className="t13 muted">{WORDS.jsonCut(formatCount(MOST_CHARACTERS))}</p>
      )}
    </div>
  );
}
