// The secret of a token that was just created or rotated, on the only page that shows it. It lives in the state of this page alone.
import { snippetOf } from '../../api/snippets.ts';
import { SecretOnce } from '../../lib/secret-once.tsx';
import { KeyValues } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
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
  const name = detail.name === undefined || detail.name === '' ? TOKENS.unnamed : detail.name;
  return (
    <SecretOnce
      title={isRotated ? SECRET.rotated(name) : SECRET.ready(name)}
      label={SECRET.secret}
      secret={detail.token}
      onClose={onClose}
    >
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
    </SecretOnce>
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
