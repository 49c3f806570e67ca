// What can be done with the flags that are selected.
import { useState } from 'react';
import type { ApiError } from '../../api/error.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { SelectionBar } from '../../ui/table.tsx';
import { toast } from '../../ui/toast-store.ts';
import type { Flag } from '../flag.ts';
import type { FlagPermissions } from '../permissions.ts';
import type { Environment } from '../queries.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import type { BulkKind } from './bulk-plan.ts';
import type { FlagListQuery } from './flag-pages.ts';
import { MAX_MATCHING, readMatching } from './list-queries.ts';
import { LIST_WORDS as WORDS } from './list-words.ts';

export interface BulkBarProps {
  query: FlagListQuery;
  /** Those that were read. */
  rows: readonly Flag[];
  total: number | undefined;
  /** All of the project, and those with a column. */
  environments: readonly Environment[];
  shown: readonly Environment[];
  selected: ReadonlySet<string>;
  onSelect: (keys: ReadonlySet<string>) => void;
  /** After something was changed. */
  onDone: () => void;
  permissions: FlagPermissions;
}

export function BulkBar(props: BulkBarProps) {
  const { query, rows, total = 0, environments, shown, selected, onSelect, onDone } = props;
  const { may } = props.permissions;
  const [kind, setKind] = useState<BulkKind>();
  const [matching, setMatching] = useState<readonly Flag[]>([]);
  const [isReading, setReading] = useState(false);
  const byKey = new Map([...matching, ...rows].map((flag) => [flag.key, flag]));
  const flags = [...selected].flatMap((key) => byKey.get(key) ?? []);
  const isAllSelected = rows.length > 0 && rows.every(({ key }) => selected.has(key));
  const canSelectMore = isAllSelected && total > selected.size && selected.size < MAX_MATCHING;
  const selectAll = async () => {
    setReading(true);
    try {
      const found = await readMatching(query);
      setMatching(found);
      onSelect(new Set(found.map(({ key }) => key)));
    } catch (error) {
      toast({ text: (error as ApiError).message, tone: 'bad' });
    } finally {
      setReading(false);
    }
  };
  return (
    <>
      <SelectionBar count={selected.size} onClear={() => onSelect(new Set())}>
        {canSelectMore && (
          <>
            <Button size="sm" tone="ghost" isBusy={isReading} onClick={() => void selectAll()}>
              {isReading
                ? WORDS.selecting
                : total > MAX_MATCHING
                  ? WORDS.selectFirst(formatCount(MAX_MATCHING))
                  : WORDS.selectAll(formatCount(total))}
            </Button>
            <hr />
          </>
        )}
        {may('updateOn', 'createApprovalRequest') && (
          <Button size="sm" tone="ghost" icon="bool" onClick={() => setKind('toggle')}>
            {WORDS.toggle}
          </Button>
        )}
        {may('updateTags') && (
          <Button size="sm" tone="ghost" icon="tag" onClick={() => setKind('tag')}>
            {WORDS.tag}
          </Button>
        )}
        {may('updateGlobalArchived') && (
          <Button size="sm" tone="ghost" icon="folder" onClick={() => setKind('archive')}>
            {WORDS.archive}
          </Button>
        )}
      </SelectionBar>
      {kind !== undefined && (
        <BulkDialog
          kind={kind}
          project={query.project}
          flags={flags}
          environments={environments}
          shown={shown}
          onClose={(left) => {
            setKind(undefined);
            if (left === undefined) return;
            onSelect(new Set(left));
            onDone();
          }}
        />
      )}
    </>
  );
}
