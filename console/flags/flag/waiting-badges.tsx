// What waits for a flag in one environment: its next scheduled change, and requests for approval.
import { path } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { TextLink } from '../../ui/link.tsx';
import { Badge } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { useScheduledChanges } from '../history/history-queries.ts';
import { FLAG_WORDS as WORDS } from './flag-words.ts';

export interface WaitingBadgesProps {
  project: string;
  flag: string;
  environment: string;
}

export function WaitingBadges({ project, flag, environment }: WaitingBadgesProps) {
  const scheduled = useScheduledChanges(project, flag, environment).data?.items ?? [];
  const requests = useRequests(project, flag, environment).data?.items ?? [];
  const next = scheduled
    .filter(({ status }) => status === 'pending')
    .toSorted((a, b) => a.executionDate - b.executionDate)[0];
  const waiting = requests.filter(({ status }) => status === 'pending').length;
  const page = `/flags/${encodeURIComponent(project)}/${encodeURIComponent(flag)}`;
  return (
    <>
      {next !== undefined && (
        <Badge icon="clock">
          <TextLink href={`${page}/history?env=${encodeURIComponent(environment)}`}>{WORDS.changes}</TextLink>{' '}
          <Time at={next.executionDate} />
        </Badge>
      )}
      {waiting > 0 && (
        <Badge icon="users">
          <TextLink href="/approvals">{WORDS.waiting(waiting)}</TextLink>
        </Badge>
      )}
    </>
  );
}

function useRequests(project: string, flag: string, environment: string) {
  return useRead<{ items: { _id: string; status: string }[] }>({
    call: {
      api: 'flags',
      path: path`/projects/${project}/flags/${flag}/environments/${environment}/approval-requests`,
    },
    topics: ['flag', 'approval-request'],
  });
}
