// The list of tokens: what each may do, until when, and its last use.
import type { TokenUse } from '../../api/types/signalbox.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Badge } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useMinute } from '../../lib/clock.ts';
import { DAY_MS } from './token-model.ts';
import { PANEL, TOKENS } from './tokens-words.ts';

const SOON_MS = 14 * DAY_MS;
const UNUSED_MS = 30 * DAY_MS;

/** The address of the list with this token open; `act` opens a dialog of it. */
export type TokenHref = (id: string, act?: 'rotate' | 'revoke') => string;

/** The row of the open token is marked. */
export function tokenColumns(hrefOf: TokenHref, openId: string | undefined): TableColumn<TokenUse>[] {
  return [
    {
      id: 'name',
      head: TOKENS.columns.name,
      isMain: true,
      cell: (token) => <NameCell token={token} isOpen={token.id === openId} />,
    },
    { id: 'scope', head: TOKENS.columns.scope, cell: ({ scope }) => TOKENS.scope(scope) },
    {
      id: 'created',
      head: TOKENS.columns.created,
      priority: 'low',
      cell: ({ createdAt }) => (
        <span className="muted nw">
          <Time at={createdAt} />
        </span>
      ),
    },
    { id: 'expires', head: TOKENS.columns.expires, cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
    { id: 'lastUse', head: TOKENS.columns.lastUse, cell: (token) => <LastUse token={token} /> },
    {
      id: 'actions',
      head: TOKENS.columns.actions,
      isEnd: true,
      cell: ({ id, name }) => (
        <Menu
          trigger={
            <Button
              tone="ghost"
              size="xs"
              icon="dots"
              label={TOKENS.actionsOf(name === '' ? TOKENS.unnamed : name)}
            />
          }
          items={[
            { label: TOKENS.open, icon: 'view', href: hrefOf(id) },
            { label: PANEL.rotate, icon: 'redo', href: hrefOf(id, 'rotate') },
            { label: PANEL.revoke, icon: 'trash', tone: 'danger', hasLine: true, href: hrefOf(id, 'revoke') },
          ]}
        />
      ),
    },
  ];
}

/** Beside an open token there is room for these. */
export const FEW_COLUMNS = ['name', 'expires', 'lastUse'];

function NameCell({ token, isOpen }: { token: TokenUse; isOpen: boolean }) {
  const { name, ending, isService, member } = token;
  const owner = member?.username ?? PANEL.removedMember;
  return (
    <span className="row" data-open={isOpen || undefined} aria-current={isOpen || undefined}>
      <Avatar name={isService ? name : owner} kind={isService ? 'machine' : 'person'} isDecorative />
      <span className="two">
        <b className="tok__n">{name === '' ? TOKENS.unnamed : name}</b>
        <small>
          <span className="mono">{TOKENS.ending(ending)}</span> · {isService ? PANEL.service : owner}
        </small>
      </span>
    </span>
  );
}

export function Expiry({ at }: { at: number | undefined }) {
  const now = useMinute();
  if (at === undefined) return <span className="muted">{TOKENS.never}</span>;
  const left = at - now;
  if (left <= 0)
    return (
      <Badge tone="bad" icon="err">
        {TOKENS.expired}
      </Badge>
    );
  const time = (
    <span className="nw">
      <Time at={at} />
    </span>
  );
  if (left > SOON_MS) return <span className="muted">{time}</span>;
  return (
    <Badge tone="warn" icon="clock">
      {time}
    </Badge>
  );
}

function LastUse({ token: { lastUse } }: { token: TokenUse }) {
  const now = useMinute();
  if (lastUse === undefined) return <span className="muted">{TOKENS.neverUsed}</span>;
  const { at, address, api } = lastUse;
  const where = [address, api === undefined ? undefined : TOKENS.api(api)].filter(
    (word) => word !== undefined,
  );
  return (
    <span className="two">
      <span className="nw">
        <Time at={at} /> {now - at > UNUSED_MS && <Badge>{TOKENS.unused}</Badge>}
      </span>
      {where.length > 0 && <small>{where.join(' · ')}</small>}
    </span>
  );
}
