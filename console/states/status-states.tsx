import { Avatar } from '../ui/avatar.tsx';
import { Bytes, Count, Duration } from '../ui/numbers.tsx';
import { Badge, CountBadge, Kbd, Key, LiveDot, Status, Tag } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { Sample } from './sample.tsx';

const now = Date.now();
const minute = 60_000;
const day = 24 * 60 * minute;

export function StatusStates() {
  return (
    <>
      <Sample name="Status">
        <Status tone="ok">Succeeded</Status>
        <Status tone="bad">Failed</Status>
        <Status tone="run">Running</Status>
        <Status tone="neutral">Ready</Status>
        <Status tone="neutral" icon="square">
          Aborted
        </Status>
        <Status tone="warn" icon="hour">
          Timed out
        </Status>
        <Status tone="ok" isPill>
          Succeeded
        </Status>
        <Status tone="bad" isPill>
          Failed
        </Status>
      </Sample>
      <Sample name="Connection">
        <LiveDot state="connecting">Connecting</LiveDot>
        <LiveDot state="live">Live</LiveDot>
        <LiveDot state="reconnecting">Reconnecting, data from 14:02</LiveDot>
        <LiveDot state="offline">Offline, changes are off</LiveDot>
      </Sample>
      <Sample name="Badges, counts, keys">
        <Badge>unused</Badge>
        <Badge tone="ok">new</Badge>
        <Badge tone="warn" icon="clock">
          in 6 d
        </Badge>
        <Badge tone="bad">expired</Badge>
        <Badge tone="run">beta</Badge>
        <Badge tone="acc">draft</Badge>
        <Badge tone="prod" icon="shield">
          production
        </Badge>
        <CountBadge value={3} />
        <CountBadge value={14} tone="bad" />
        <CountBadge value={2} tone="acc" />
        <Tag>web</Tag>
        <Key copyLabel="Copy key dark-mode">dark-mode</Key>
        <Kbd>Esc</Kbd>
      </Sample>
      <Sample name="Times and numbers">
        <Time at={now} />
        <Time at={now - 4 * minute} />
        <Time at={now - 3 * day} />
        <Time at={now + 6 * day} />
        <Time at={now - 40 * day} />
        <Time at="2025-11-03T10:00:00Z" />
        <Time at={now} mode="absolute" />
        <Time at="not a time" />
        <Count value={48_210} />
        <Count value={1_840_000} isShort />
        <Count value={1284} isEstimate />
        <Bytes value={1_600_000} />
        <Duration value={64_000} />
        <Duration value={850} />
      </Sample>
      <Sample name="Who">
        <Avatar name="Ada Lindqvist" />
        <Avatar name="bob.okafor@example.com" />
        <Avatar name="ci-deploy" kind="machine" />
        <Avatar name="Mira" size={20} />
        <Avatar name="" size={20} />
      </Sample>
    </>
  );
}
