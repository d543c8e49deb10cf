package inspect

import (
	"errors"
	"io"
	"net/http"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// maxInconsistent is the number of records that do not hold which the page names; the others are counted.
const maxInconsistent = 100

// verifyRecord answers with the comparisons of a record.
func (p *page) verifyRecord(r *http.Request) (any, error) {
	record, _, err := p.recordOf(r)
	if err != nil {
		return nil, err
	}
	return p.Sidecar.VerifyRecord(r.Context(), &pb.VerifyRecordRequest{Sequence: record.GetSequence()})
}

// verifiedLog is what the chain of the log showed.
type verifiedLog struct {
	*pb.VerifiedLog
	Records []*pb.InconsistentRecord // at most maxInconsistent
}

// verifyLog answers with what does not hold in the chain of the log, the first place first.
func (p *page) verifyLog(r *http.Request) (any, error) {
	answers, err := p.Sidecar.VerifyLog(r.Context(), &pb.VerifyLogRequest{})
	if err != nil {
		return nil, err
	}
	var shown verifiedLog
	for {
		answer, err := answers.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if b := answer.GetInconsistent(); b != nil && len(shown.Records) < maxInconsistent {
			shown.Records = append(shown.Records, b)
		}
		if v := answer.GetVerified(); v != nil {
			shown.VerifiedLog = v
		}
	}
	return shown, nil
}
