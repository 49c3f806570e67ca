// One token beside the list: what it may do, its calls by hour, rotating and revoking it.
import type { Me } from '../../api/types/signalbox.ts';
import { useEffect, useRef } from 'react';
import { useMay, useMe } from '../../app/me.ts';
import { Button } from '../../ui/button.tsx';
import { KeyValues } from '../../ui/card.tsx';
import { useKeys } from '../../ui/keys.ts';
import { ErrorState, NoPermission, Skeleton } from '../../ui/states.tsx';
import { Badge, Key } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { isOwnToken, tokenResourceOf, type TokenDetail } from './token-model.ts';
import { TokenPowerView } from './token-policy-view.tsx';
import { RevokeDialog } from './token-revoke-dialog.tsx';
import { RotateDialog } from './token-rotate-dialog.tsx';
import type { NewSecret } from './token-secret-dialog.tsx';
import { TokenUsageView } from './token-usage.tsx';
import { useLastUse, useToken } from './tokens-queries.ts';
import { Expiry } from './tokens-table.tsx';
import { PANEL, TOKENS } from './tokens-words.ts';

export type TokenAct = 'rotate' | 'revoke' | undefined;

export interface TokenPanelProps {
  id: string;
  /** The dialog that is open. */
  act: TokenAct;
  onAct: (act: TokenAct) => void;
  onClose: () => void;
  /** To the token before or after it in the list. */
  onStep: (step: 1 | -1) => void;
  onSecret: (secret: NewSecret) => void;
}

export function TokenPanel({ id, act, onAct, onClose, onStep, onSecret }: TokenPanelProps) {
  const { data: token, error, refetch } = useToken(id);
  const { data: me } = useMe();
  const head = useRef<HTMLHeadingElement>(null);
  // When it opens; stepping to the next token leaves the focus where it is.
  useEffect(() => head.current?.focus({ preventScroll: true }), []);
  useKeys({ Escape: onClose, '[': () => onStep(-1), ']': () => onStep(1) });
  const name = token === undefined ? TOKENS.title : nameOf(token);
  return (
    <aside className="side tok__side" aria-label={name}>
      <section>
        <div className="row tok__head">
          <h2 className="grow" ref={head} tabIndex={-1}>
            {name}
          </h2>
          <Button tone="ghost" size="sm" icon="up" label={PANEL.previous} onClick={() => onStep(-1)} />
          <Button tone="ghost" size="sm" icon="down" label={PANEL.next} onClick={() => onStep(1)} />
          <Button tone="ghost" size="sm" icon="x" label={PANEL.close} onClick={onClose} />
        </div>
        {error !== null && token === undefined && <PanelError error={error} onRetry={() => void refetch()} />}
        {error === null && token === undefined && <Skeleton lines={6} />}
        {token !== undefined && <Facts token={token} />}
      </section>
      {token !== undefined && (
        <>
          <section>
            <h3 className="h4">{PANEL.may}</h3>
            <TokenPowerView
              isService={token.serviceToken}
              role={token.role}
              customRoles={token.customRoleIds}
              statements={token.inlineRole}
            />
          </section>
          <section>
            <h3 className="h4">{PANEL.usage}</h3>
            <TokenUsageView id={id} />
          </section>
          {me !== undefined && (
            <Acts token={token} me={me} act={act} onAct={onAct} onClose={onClose} onSecret={onSecret} />
          )}
        </>
      )}
    </aside>
  );
}

function nameOf({ name = '' }: Pick<TokenDetail, 'name'>): string {
  return name === '' ? TOKENS.unnamed : name;
}

type PanelErrorProps = { error: NonNullable<ReturnType<typeof useToken>['error']>; onRetry: () => void };

function PanelError({ error, onRetry }: PanelErrorProps) {
  if (error.access !== undefined) return <NoPermission {...error.access} isPlain />;
  return <ErrorState error={error} onRetry={onRetry} isPlain />;
}

function Facts({ token }: { token: TokenDetail }) {
  const { _id: id, serviceToken, description = '', creationDate, expiry, _member: member } = token;
  const lastUse = useLastUse(id, token.token)?.lastUse;
  const at = lastUse?.at ?? token.lastUsed;
  const owner = member === undefined ? PANEL.removedMember : member.email;
  return (
    <KeyValues
      items={[
        [
          serviceToken ? PANEL.createdBy : PANEL.owner,
          <span key="owner" className="row row--wrap row--4">
            {owner} <Badge>{serviceToken ? PANEL.service : PANEL.personal}</Badge>
          </span>,
        ],
        ...(description === '' ? [] : [[PANEL.description, description] as [string, string]]),
        [
          PANEL.id,
          <Key key="id" copyLabel={PANEL.copyId}>
            {id}
          </Key>,
        ],
        [
          PANEL.ending,
          <code key="ending" className="mono">
            {TOKENS.ending(token.token)}
          </code>,
        ],
        [PANEL.created, <Time key="created" at={creationDate} />],
        [PANEL.expires, <Expiry key="expires" at={expiry} />],
        [
          PANEL.lastUse,
          at === undefined ? (
            TOKENS.neverUsed
          ) : (
            <span key="lastUse">
              <Time at={at} />
              {lastUse?.address !== undefined && ` ${PANEL.from(lastUse.address)}`}
              {lastUse?.api !== undefined && (
                <small className="muted">
                  {' '}
                  {TOKENS.api(lastUse.api)}
                  {lastUse.operation !== undefined && `, ${lastUse.operation}`}
                </small>
              )}
            </span>
          ),
        ],
      ]}
      termWidth={88}
    />
  );
}

interface ActsProps extends Omit<TokenPanelProps, 'id' | 'onStep'> {
  token: TokenDetail;
  me: Me;
}

function Acts({ token, me, act, onAct, onClose, onSecret }: ActsProps) {
  const resource = tokenResourceOf(token, me);
  const may = useMay([
    { action: 'resetAccessToken', resource },
    { action: 'deleteAccessToken', resource },
  ]);
  if (may === undefined) return null;
  const [mayReset, mayDelete] = may;
  const isOthers = !token.serviceToken && !isOwnToken(token, me);
  const noReset = isOthers ? PANEL.rotateOthers : mayReset ? undefined : PANEL.mayNot('resetAccessToken');
  const noDelete = mayDelete ? undefined : PANEL.mayNot('deleteAccessToken');
  return (
    <section>
      <div className="row row--wrap">
        <Button icon="redo" disabledReason={noReset} onClick={() => onAct('rotate')}>
          {PANEL.rotate}
        </Button>
        <Button tone="danger" icon="trash" disabledReason={noDelete} onClick={() => onAct('revoke')}>
          {PANEL.revoke}
        </Button>
      </div>
      {act === 'rotate' && noReset === undefined && (
        <RotateDialog token={token} onClose={() => onAct(undefined)} onSecret={onSecret} />
      )}
      {act === 'revoke' && noDelete === undefined && (
        <RevokeDialog token={token} onClose={() => onAct(undefined)} onRevoked={onClose} />
      )}
    </section>
  );
}
