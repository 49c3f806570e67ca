// Deletes a segment, after its key was typed. One that flags use cannot be deleted: the flags are listed.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TextLink } from '../../ui/link.tsx';
import { toast } from '../../ui/toast-store.ts';
import { useSegmentPermissions } from '../permissions.ts';
import { flagHref } from './segment-uses.tsx';
import type { Segment } from './segment.ts';
import { useDeleteSegment, type SegmentPlace } from './segments-queries.ts';
import { SEGMENT } from './segments-words.ts';

interface DeleteSegmentProps {
  place: SegmentPlace;
  segment: Segment;
  onDeleted: () => void;
}

export function DeleteSegment({ place, segment, onDeleted }: DeleteSegmentProps) {
  const { project, environment, key } = place;
  const { may } = useSegmentPermissions(project, environment, key);
  const [isAsking, setAsking] = useState(false);
  const remove = useDeleteSegment(place);
  const [, navigate] = useLocation();
  if (!may('deleteSegment')) return null;
  const flags = segment._flags ?? [];
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        onDeleted();
        toast({ text: SEGMENT.deleted(segment.name) });
        navigate(`/segments/${encodeURIComponent(project)}?env=${encodeURIComponent(environment)}`);
      },
    });
  return (
    <>
      <Button tone="danger" icon="trash" onClick={() => setAsking(true)}>
        {SEGMENT.delete}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={SEGMENT.deleteTitle(segment.name)}
          tone="danger"
          confirmLabel={SEGMENT.deleteConfirm(key)}
          typeToConfirm={key}
          disabledReason={flags.length === 0 ? undefined : SEGMENT.deleteUsed(flags.length)}
          isBusy={remove.isPending}
          error={remove.error ?? undefined}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          <p>{SEGMENT.deleteText}</p>
          {flags.length > 0 && (
            <>
              <p>{SEGMENT.deleteBreaks}</p>
              <ul className="stack stack--4 segment__breaks">
                {flags.map((flag) => (
                  <li key={flag.key}>
                    <TextLink href={flagHref(place, flag.key)}>{flag.name}</TextLink>
                  </li>
                ))}
              </ul>
            </>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}
