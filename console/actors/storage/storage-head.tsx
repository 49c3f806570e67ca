// The head of the page of one storage: its name, what it holds, which run it is of, and a menu.
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { formatBytes } from '../../ui/format.ts';
import { TextLink } from '../../ui/link.tsx';
import { Menu } from '../../ui/menu.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { DeleteStorage } from './delete-storage.tsx';
import { StorageSettings } from './storage-settings.tsx';
import { isUnnamed, titleOf, type Storage, type StorageKind } from './storage.ts';
import { WORDS } from './storage-words.ts';

export interface StorageHeadProps {
  kind: StorageKind;
  storage: Storage;
  /** How much it holds. */
  meta?: ReactNode;
  actions?: ReactNode;
}

export function StorageHead({ kind, storage, meta, actions }: StorageHeadProps) {
  const [open, setOpen] = useState<'settings' | 'delete'>();
  const [, navigate] = useLocation();
  const { actRunId, modifiedAt, stats } = storage;
  const close = () => setOpen(undefined);
  return (
    <>
      <PageHead
        title={titleOf(storage)}
        badge={isUnnamed(storage) && <Badge>{WORDS.unnamed}</Badge>}
        meta={
          <>
            {meta}
            <span>{formatBytes(stats.storageBytes)}</span>
            <span>
              {WORDS.modified} <Time at={modifiedAt} />
            </span>
            {actRunId !== null && (
              <span>
                {WORDS.run}{' '}
                <TextLink href={`/runs/${encodeURIComponent(actRunId)}`} isMono>
                  {actRunId}
                </TextLink>
              </span>
            )}
          </>
        }
        actions={
          <>
            {actions}
            <Menu
              trigger={<Button icon="dots" label={WORDS.actions(titleOf(storage))} />}
              items={[
                { label: WORDS.settings, icon: 'sliders', onSelect: () => setOpen('settings') },
                {
                  label: WORDS.remove,
                  icon: 'trash',
                  tone: 'danger',
                  hasLine: true,
                  onSelect: () => setOpen('delete'),
                },
              ]}
            />
          </>
        }
      />
      {open === 'settings' && <StorageSettings kind={kind} storage={storage} onClose={close} />}
      {open === 'delete' && (
        <DeleteStorage
          kind={kind}
          storage={storage}
          onClose={close}
          onDone={() => navigate(`/storage/${kind}`)}
        />
      )}
    </>
  );
}
