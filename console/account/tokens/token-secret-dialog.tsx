// The secret of a token that was just created or rotated, on the only page that shows it. It lives in the state of this page alone.
import { useState } from 'react';
import { snippetOf } from '../../api/snippets.ts';
import { Button } from '../../ui/button.tsx';
import { KeyValues, Tile } from '../../ui/card.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { CodeBlock, Secret } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import type { TokenDetail } from './token-model.ts';
import { roleWords } from './token-policy-view.tsx';
import { useLastUse } from './tokens-queries.ts';
import { SECRET, TOKENS } from './tokens-words.ts';

export interface NewSecret {
  /** Its `token` is whole. */
  detail: TokenDetail;
  isRotated: boolean;
}

/** Every token may make this call. The variable stands for the secret, which so gets into no shell's history. */
const EXAMPLE = snippetOf({ api: 'signalbox', path: '/me' }, 'curl');
const ENDING = 4;

export function SecretDialog({ secret, onClose }: { secret: NewSecret; onClose: () => void }) {
  const { detail, isRotated } = secret;
  const [isStored, setStored] = useState(false);
  const name = detail.name === undefined || detail.name === '' ? TOKENS.unnamed : detail.name;
  return (
    <Dialog
      title={isRotated ? SECRET.rotated(name) : SECRET.ready(name)}
      text={SECRET.text}
      tile={<Tile icon="key" tone="ok" />}
      width={600}
      onClose={undefined}
      footer={
        <>
          <div className="grow">
            <Checkbox label={SECRET.stored} isChecked={isStored} onChange={setStored} />
          </div>
          <Button tone="primary" disabledReason={isStored ? undefined : SECRET.tickFirst} onClick={onClose}>
            {SECRET.done}
          </Button>
        </>
      }
    >
      <div className="fld">
        <span className="fld__l">{SECRET.secret}</span>
        <Secret text={detail.token} />
      </div>
      <KeyValues
        items={[
          [SECRET.scope, scopeOf(detail)],
          [
            SECRET.expires,
            detail.expiry === undefined ? (
              SECRET.neverExpires
            ) : (
              <Time key="at" at={detail.expiry} mode="absolute" />
            ),
          ],
        ]}
      />
      <div className="fld">
        <span className="fld__l">{SECRET.tryIt}</span>
        <CodeBlock text={EXAMPLE} />
        <p className="help">{SECRET.tryText}</p>
        {!isRotated && <FirstCall id={detail._id} ending={detail.token.slice(-ENDING)} />}
      </div>
    </Dialog>
  );
}

function scopeOf({ role, customRoleIds = [], inlineRole = [], serviceToken }: TokenDetail): string {
  if (role !== undefined) return roleWords(role, serviceToken)[0];
  if (customRoleIds.length > 0) return customRoleIds.join(', ');
  return inlineRole.flatMap(({ actions = [], notActions = [] }) => [...actions, ...notActions]).join(', ');
}

/** Turns green when the call has come: the server reports the first use of a token. */
function FirstCall({ id, ending }: { id: string; ending: string }) {
  const lastUse = useLastUse(id, ending)?.lastUse;
  return (
    <p className="t13" role="status">
      {lastUse === undefined ? (
        <Status tone="neutral">{SECRET.waiting}</Status>
      ) : (
        <Status tone="ok">
          <span>
            {SECRET.used(TOKENS.api(lastUse.api ?? ''))}, <Time at={lastUse.at} />
          </span>
        </Status>
      )}
    </p>
  );
}
