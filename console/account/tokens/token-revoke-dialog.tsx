// Revokes a token, after showing who would notice: its calls of the last week.
import { path } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import type { TokenDetail } from './token-model.ts';
import { sumOf, UsageChart } from './token-usage.tsx';
import { CHANGED_TOKENS, useLastUse, useTokenUsage } from './tokens-queries.ts';
import { REVOKE, TOKENS, USAGE } from './tokens-words.ts';

export interface RevokeDialogProps {
  token: TokenDetail;
  onClose: () => void;
  onRevoked: () => void;
}

export function RevokeDialog({ token, onClose, onRevoked }: RevokeDialogProps) {
  const { _id: id, serviceToken } = token;
  const name = token.name === undefined || token.name === '' ? TOKENS.unnamed : token.name;
  const usage = useTokenUsage(id);
  const revoke = useChange<string>(
    (one) => ({ api: 'flags', method: 'DELETE', path: path`/tokens/${one}` }),
    CHANGED_TOKENS,
  );
  const confirm = () =>
    revoke.mutate(id, {
      onSuccess: () => {
        onRevoked();
        toast({ text: REVOKE.done(name) });
      },
    });
  return (
    <ConfirmDialog
      title={REVOKE.title(name)}
      tone="danger"
      confirmLabel={REVOKE.confirm}
      isBusy={revoke.isPending}
      disabledReason={usage.isPending ? REVOKE.reading : undefined}
      error={revoke.error ?? undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        {REVOKE.text} {serviceToken && REVOKE.service}
      </p>
      <LastWeek usage={usage} />
      <LastCall token={token} />
    </ConfirmDialog>
  );
}

function LastWeek({ usage: { data, isPending } }: { usage: ReturnType<typeof useTokenUsage> }) {
  if (isPending) return <Skeleton lines={3} />;
  if (data === undefined) return <p className="muted">{REVOKE.unread}</p>;
  if (sumOf(data.hours).calls === 0) return <p className="muted">{USAGE.none}</p>;
  return (
    <>
      <Banner tone="warn">{REVOKE.inUse}</Banner>
      <UsageChart hours={data.hours} />
    </>
  );
}

function LastCall({ token }: { token: TokenDetail }) {
  const lastUse = useLastUse(token._id, token.token)?.lastUse;
  const at = lastUse?.at ?? token.lastUsed;
  if (at === undefined) return <p className="muted">{TOKENS.neverUsed}</p>;
  const where = [lastUse?.address, lastUse?.api === undefined ? undefined : TOKENS.api(lastUse.api)];
  return (
    <p className="muted">
      {REVOKE.lastUse} <Time at={at} />
      {where.filter((word) => word !== undefined).map((word) => ` · ${word}`)}
    </p>
  );
}
