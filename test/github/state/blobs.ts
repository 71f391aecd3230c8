import { randomBytes } from 'node:crypto';

type Stored = { readonly key: string; readonly bytes: Buffer };

/** An upload that has been begun: blocks by their id until the list of blocks puts them together. */
export interface Upload {
  readonly key: string;
  readonly blocks: Map<string, Buffer>;
  bytes: Buffer | undefined;
}

/** Files that lie outside the API, each behind an address that is its own key, as in Azure. */
export class Blobs {
  address = '';
  readonly #links = new Map<string, Stored>();
  readonly uploads = new Map<string, Upload>();

  /** An address that serves the bytes to whoever has it. */
  link({ bytes }: { readonly bytes: Buffer }): string {
    const key = randomBytes(12).toString('hex');
    this.#links.set(key, { key, bytes });
    return `${this.address}/download/${key}?sig=${key}`;
  }

  get(key: string): Buffer | undefined {
    return this.#links.get(key)?.bytes;
  }

  /** An address that takes one file. */
  begin(): { readonly url: string; readonly upload: Upload } {
    const key = randomBytes(12).toString('hex');
    const upload = { key, blocks: new Map<string, Buffer>(), bytes: undefined };
    this.uploads.set(key, upload);
    return { url: `${this.address}/upload/${key}?sig=${key}`, upload };
  }
}
