package postgres

import "encoding/binary"

// textOID is PostgreSQL's number for the type text.
const textOID = 25

// textArray is values as text[] in PostgreSQL's binary format.
//
// pgx would encode a []string too, at three times the cost: it plans the encoding of each element again.
func textArray(values []string) []byte {
	const header, element = 5 * 4, 4
	size := header
	for _, value := range values {
		size += element + len(value)
	}
	array := make([]byte, 0, size)
	// Dimensions, no nulls, element type, length, and the index of the first element.
	for _, number := range [...]int{1, 0, textOID, len(values), 1} {
		array = binary.BigEndian.AppendUint32(array, uint32(number))
	}
	for _, value := range values {
		array = binary.BigEndian.AppendUint32(array, uint32(len(value)))
		array = append(array, value...)
	}
	return array
}
