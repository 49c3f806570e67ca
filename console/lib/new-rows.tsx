// "3 new, show": rows that came while somebody reads a list.
import '../styles/new-rows.css';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';

const WORDS = { count: (count: string) => `${count} new`, show: 'Show' };

export function NewRows({ count, onShow }: { count: string; onShow: () => void }) {
  return (
    <div className="new-rows" role="status">
      <Banner
        tone="neutral"
        action={
          <Button size="sm" onClick={onShow}>
            {WORDS.show}
          </Button>
        }
      >
        {WORDS.count(count)}
      </Banner>
    </div>
  );
}
