// Where an Actor in standby mode answers, and how many runs do so now.
import { path } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatCount } from '../../ui/format.ts';
import { Status } from '../../ui/status.tsx';
import type { ListBody } from '../queries.ts';
import type { Run } from '../run.ts';
import type { ActorDetail } from './actor-queries.ts';
import { ACTOR_WORDS } from './actor-words.ts';

const MOST = 100;

export function StandbyLine({ actor }: { actor: ActorDetail }) {
  const url = actor.standbyUrl ?? undefined;
  const { data } = useRead<ListBody<Run>>(
    {
      call: {
        api: 'actors',
        path: path`/actors/${actor.id}/runs`,
        query: { desc: true, limit: MOST, status: 'READY,RUNNING' },
      },
      topics: ['run'],
    },
    { isEnabled: url !== undefined },
  );
  if (url === undefined) return null;
  const ready = data?.data.items.filter(({ meta }) => meta.origin === 'STANDBY').length;
  const { standby } = ACTOR_WORDS;
  return (
    <p className="row row--wrap t13 standby">
      <Status tone={ready === undefined || ready === 0 ? 'neutral' : 'run'}>
        {ready === undefined || ready === 0 ? standby.idle : standby.running(formatCount(ready))}
      </Status>
      <span className="muted">{standby.address}</span>
      <code className="key standby__url">{url}</code>
      <CopyButton text={url} label={standby.copy} />
    </p>
  );
}
