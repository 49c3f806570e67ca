// A big segment: how many it has, whether somebody is in it, changes by keys, import and export.
import { useState, type FormEvent } from 'react';
import { download } from '../../lib/signed-link.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, Figures } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { Status } from '../../ui/status.tsx';
import type { Environment } from '../queries.ts';
import { exportFileCall, useExport, useMembership, useStartExport } from './big-queries.ts';
import { EditMembers } from './edit-members.tsx';
import { ImportDialog } from './import-dialog.tsx';
import type { Segment } from './segment.ts';
import { sizeOf } from './segment.ts';
import type { SegmentPlace } from './segments-queries.ts';
import { BIG, SEGMENT } from './segments-words.ts';

interface BigSegmentProps {
  place: SegmentPlace;
  segment: Segment;
  environment: Environment | undefined;
  isLocked: boolean;
}

export function BigSegment({ place, segment, environment, isLocked }: BigSegmentProps) {
  const [open, setOpen] = useState<'import' | 'edit'>();
  const { included, excluded } = sizeOf(segment);
  const kind = segment.unboundedContextKind ?? 'user';
  const close = () => setOpen(undefined);
  useKeys({ e: () => setOpen('edit') }, { isOn: !isLocked });
  return (
    <>
      <Figures
        label={BIG.title}
        items={[
          { label: SEGMENT.included, value: formatCount(included), note: BIG.text(kind) },
          { label: SEGMENT.excluded, value: formatCount(excluded) },
        ]}
      />
      <Card
        title={BIG.title}
        actions={
          !isLocked && (
            <>
              <Button size="sm" icon="pen" keys="e" onClick={() => setOpen('edit')}>
                {BIG.edit}
              </Button>
              <Button size="sm" icon="aup" onClick={() => setOpen('import')}>
                {BIG.import}
              </Button>
            </>
          )
        }
      >
        <div className="stack stack--16">
          <LookUp place={place} />
          <Export place={place} />
        </div>
      </Card>
      {open === 'import' && (
        <ImportDialog place={place} segment={segment} environment={environment} onClose={close} />
      )}
      {open === 'edit' && <EditMembers place={place} segment={segment} onClose={close} />}
    </>
  );
}

function LookUp({ place }: { place: SegmentPlace }) {
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState('');
  const { data, error, refetch } = useMembership(place, asked);
  const ask = (event: FormEvent) => {
    event.preventDefault();
    setAsked(typed.trim());
  };
  return (
    <div className="stack stack--8">
      <form className="row row--wrap keyform" onSubmit={ask}>
        <div className="grow">
          <Field label={BIG.find}>
            <TextInput isMono spellCheck={false} value={typed} onValue={setTyped} />
          </Field>
        </div>
        <Button type="submit" icon="search">
          {BIG.findButton}
        </Button>
      </form>
      {error !== null && <ReadProblem error={error} onRetry={() => void refetch()} isPlain />}
      {asked !== '' && data !== undefined && (
        <p role="status" className="row row--wrap t13">
          <code className="key">{asked}</code>
          {data.included ? (
            <Status tone="ok">{BIG.isIncluded}</Status>
          ) : data.excluded ? (
            <Status tone="bad">{BIG.isExcluded}</Status>
          ) : (
            <Status tone="neutral">{BIG.isNeither}</Status>
          )}
        </p>
      )}
    </div>
  );
}

/** The file is written behind the call; a signed link of a minute loads it. */
function Export({ place }: { place: SegmentPlace }) {
  const start = useStartExport(place);
  const id = start.data?.id;
  const { data, error } = useExport(place, id);
  const isBusy = start.isPending || (id !== undefined && data?.status !== 'complete' && error === null);
  const problem = start.error ?? error;
  return (
    <div className="stack stack--8">
      <div className="row row--wrap" role="status">
        <Button icon="dl" isBusy={isBusy} onClick={() => start.mutate()}>
          {BIG.export}
        </Button>
        {isBusy && <span className="t13 muted">{BIG.exporting}</span>}
        {id !== undefined && data?.status === 'complete' && (
          <>
            <span className="t13">{BIG.exported(data.size)}</span>
            <Button tone="primary" size="sm" onClick={() => void download(exportFileCall(place, id))}>
              {BIG.download}
            </Button>
          </>
        )}
      </div>
      {problem !== null && <Banner tone="bad">{problem.message}</Banner>}
    </div>
  );
}
