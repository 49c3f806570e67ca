// A request for a flag that others have changed since: what they changed, and a way to ask anew on top of it.
import { useState } from 'react';
import { ApiError } from '../../api/error.ts';
import { useRead } from '../../api/read.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import type { Flag } from '../flag.ts';
import { useFlagAt } from '../history/history-queries.ts';
import { useFlagPermissions } from '../permissions.ts';
import { flagRead } from '../queries.ts';
import { ConflictView } from '../save/conflict-view.tsx';
import { findConflict, type Conflict } from '../save/conflict.ts';
import { changedParts, findContests, partsOfState } from '../save/parts.ts';
import type { PlannedChange } from '../save/planned-change.ts';
import { usePreview } from '../save/save-queries.ts';
import { describePart } from '../targeting/summary.ts';
import { placeOf, type Approval } from './approval.ts';
import { APPROVAL } from './approvals-words.ts';
import { RebaseDialog } from './rebase-dialog.tsx';

const WORDS = APPROVAL.stale;

interface StaleRequestProps {
  approval: Approval;
  mayDelete: boolean;
}

/** Nothing where the environment is as it was. What a copy takes is read when it is applied. */
export function StaleRequest({ approval, mayDelete }: StaleRequestProps) {
  const { project, environment, flag: key } = placeOf(approval);
  const { data: flag } = useRead<Flag>(flagRead(project, key));
  const { data: then, isPending } = useFlagAt(project, key, approval.creationDate);
  const { may } = useFlagPermissions(project, key, environment);
  const now = flag?.environments?.[environment];
  if (flag === undefined || now === undefined || isPending || approval.source !== undefined) return null;
  const base = then?.version.environments[environment];
  const theirs = base === undefined ? undefined : changedParts(partsOfState(base), partsOfState(now));
  const isContested =
    approval.conflicts.length > 0 || findContests(approval.instructions, theirs ?? new Set()).length > 0;
  if (!isContested && (theirs === undefined || theirs.size === 0)) return null;
  return (
    <Banner
      tone={isContested ? 'warn' : 'info'}
      action={
        may('createApprovalRequest') && (
          <Rebase approval={approval} flag={flag} base={base} mayDelete={mayDelete} />
        )
      }
    >
      {theirs === undefined ? WORDS.unknown : WORDS.title(environment, partNames(theirs))}{' '}
      {isContested && theirs !== undefined && WORDS.contested}
    </Banner>
  );
}

/** "rules, the switch". */
function partNames(parts: ReadonlySet<string>): string {
  const groups = [...parts].map((part) => part.split('/', 1)[0]!);
  const known: Readonly<Record<string, string>> = WORDS.parts;
  return [...new Set(groups.map((group) => known[group] ?? WORDS.otherPart))].join(', ');
}

interface RebaseProps extends StaleRequestProps {
  flag: Flag;
  base: unknown;
}

function Rebase({ approval, flag, base, mayDelete }: RebaseProps) {
  const { project, environment } = placeOf(approval);
  const [conflict, setConflict] = useState<Conflict>();
  const [merged, setMerged] = useState<PlannedChange>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const asked: PlannedChange = {
    project,
    environment,
    resource: { kind: 'flag', key: flag.key, name: flag.name },
    instructions: approval.instructions,
    version: 0,
    ...(base !== undefined && { base }),
    describe: (part, value) => describePart(part, value, flag.variations),
  };
  const mine = usePreview(asked);
  const close = () => {
    setConflict(undefined);
    setMerged(undefined);
  };
  const begin = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const found = await findConflict(asked, undefined);
      if (found.contests.length > 0) setConflict(found);
      else setMerged(found.change);
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button size="sm" icon="redo" isBusy={isBusy} onClick={() => void begin()}>
        {WORDS.rebase}
      </Button>
      {error !== undefined && <span className="bad t12">{error.message}</span>}
      {conflict !== undefined && merged === undefined && (
        <ConflictView
          conflict={conflict}
          wanted={mine.error === null ? mine.data?.after : undefined}
          error={undefined}
          isBusy={false}
          isConfirmed={false}
          onSave={setMerged}
          onGiveUp={close}
          onClose={close}
        />
      )}
      {merged !== undefined && (
        <RebaseDialog
          approval={approval}
          change={merged}
          base={base}
          present={flag.environments?.[environment]}
          mayDelete={mayDelete}
          onClose={close}
        />
      )}
    </>
  );
}
