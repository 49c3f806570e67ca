// How a branch is protected, in words: read when it comes near the window.
import { useInView } from '../../lib/in-view.ts';
import type { RepositoryPlace } from '../place.ts';
import { draftOfProtection, sentencesOf } from './protection.ts';
import { useProtection } from './protection-queries.ts';
import '../../styles/repository-settings.css';

export function RuleWords({ place, branch }: { place: RepositoryPlace; branch: string }) {
  const { ref, isSeen } = useInView<HTMLSpanElement>();
  const { data, error } = useProtection(place, branch, isSeen);
  return (
    <span ref={ref} className="t13 muted rset__word">
      {data !== undefined ? sentencesOf(draftOfProtection(data)).join(' ') : error?.message}
    </span>
  );
}
