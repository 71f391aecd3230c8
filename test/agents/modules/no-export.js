export const agent = 'by another name';
