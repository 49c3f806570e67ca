// What changes a repository for everybody: its name, who sees it, its owner, whether it can be changed, and its end.
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import type { RepositoryPlace } from '../place.ts';
import type { Repository } from '../repository.ts';
import {
  ArchiveDialog,
  DeleteDialog,
  RenameDialog,
  TransferDialog,
  VisibilityDialog,
} from './danger-dialogs.tsx';
import { DANGER } from './settings-words.ts';

type Act = 'rename' | 'visibility' | 'transfer' | 'archive' | 'delete';

export function DangerZone({ place, repository }: { place: RepositoryPlace; repository: Repository }) {
  const [act, setAct] = useState<Act>();
  const { archived: isArchived, private: isPrivate } = repository;
  const still = isArchived ? DANGER.archivedFirst : undefined;
  const rows: { id: Act; title: string; text: string; action: string; reason?: string | undefined }[] = [
    {
      id: 'rename',
      title: DANGER.rename,
      text: DANGER.renameText,
      action: DANGER.renameAction,
      reason: still,
    },
    {
      id: 'visibility',
      title: DANGER.visibility(isPrivate),
      text: DANGER.visibilityText(isPrivate),
      action: DANGER.visibilityAction(isPrivate),
      reason: still,
    },
    { id: 'transfer', title: DANGER.transfer, text: DANGER.transferText, action: DANGER.transferAction },
    {
      id: 'archive',
      title: DANGER.archive(isArchived),
      text: DANGER.archiveText(isArchived),
      action: DANGER.archiveAction(isArchived),
    },
    { id: 'delete', title: DANGER.delete, text: DANGER.deleteText, action: DANGER.deleteAction },
  ];
  const dialog = { place, repository, onClose: () => setAct(undefined) };
  return (
    <Card title={DANGER.title} isFlush>
      <ul className="rset__rows">
        {rows.map(({ id, title, text, action, reason }) => (
          <li key={id}>
            <div>
              <p className="w5">{title}</p>
              <p className="muted">{text}</p>
            </div>
            <Button tone="danger" disabledReason={reason} onClick={() => setAct(id)}>
              {action}
            </Button>
          </li>
        ))}
      </ul>
      {act === 'rename' && <RenameDialog {...dialog} />}
      {act === 'visibility' && <VisibilityDialog {...dialog} />}
      {act === 'transfer' && <TransferDialog {...dialog} />}
      {act === 'archive' && <ArchiveDialog {...dialog} />}
      {act === 'delete' && <DeleteDialog {...dialog} />}
    </Card>
  );
}
